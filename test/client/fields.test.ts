import {expect} from 'chai';
import * as fc from 'fast-check';
import {readIsoTime} from '../../src/client/fields.js';

describe('readIsoTime', () => {
  const number = (min: number, max: number, length: number) =>
    fc.integer({min, max}).map((value) => String(value).padStart(length, '0'));

  it('reads times in UTC as Date does, including dates and times that do not exist', () => {
    const day = fc.tuple(number(0, 9999, 4), number(0, 13, 2), number(0, 32, 2));
    const time = fc.tuple(number(0, 25, 2), number(0, 60, 2), number(0, 60, 2));
    const fraction = fc.constantFrom('', '.0', '.999', '.120', '.1234567');
    fc.assert(
      fc.property(day, time, fraction, (days, times, rest) => {
        const text = `${days.join('-')}T${times.join(':')}${rest}Z`;
        const expected = new Date(text).getTime();
        expect(readIsoTime(text)?.getTime() ?? Number.NaN, text).to.deep.equal(expected);
      }),
      {numRuns: 1000, examples: [[['2026', '02', '30'], ['23', '59', '59'], '.999']]},
    );
  });
});
