import {expect} from 'chai';
import {forms} from '../../../src/client/names/times.js';
import {readTime} from '../../../src/client/times.js';
import type {Json} from '../../../src/domain/json.js';
import {type Documented, documented, undocumented} from '../../support/values/documented.js';

/** A form in which a program writes the same time. */
interface Row extends Documented {
  readonly form: string;
  readonly value: Json;
}

const rows = documented<Row>('times');

const moment = new Date('2026-11-28T07:51:49Z').getTime();

describe('readTime', () => {
  for (const {service, version, value} of rows) {
    it(`reads the time of ${service} (${version}): ${JSON.stringify(value)}`, () => {
      // A fraction of a second may be in it.
      expect(Math.floor((readTime(value)?.getTime() ?? 0) / 1000) * 1000).to.equal(moment);
    });
  }

  const unreadable: readonly Json[] = [
    ...['a day ago', 'never', '12', '2026-11-28', '28/11/2026 07:51', ''],
    ...[1, 3600, 5e9, 1e13, 7e15, 1e30, true, []],
    ...[{}, {date: '2026-11-28 07:51:49', timezone: 'Europe/Paris'}, {seconds: 30}, {$date: {}}],
  ];
  for (const value of unreadable) {
    it(`reads no time in ${JSON.stringify(value)}`, () => {
      expect(readTime(value)).to.equal(undefined);
    });
  }

  it('reads a bigint, as which large numbers arrive', () => {
    expect(readTime(1795852309000000001n)?.getTime()).to.equal(moment);
  });
});

describe('the table of forms of times', () => {
  it('names a program for each form and each field', () => {
    const {inner, seconds, nanoseconds} = forms;
    const shown = new Set(rows.map(({form}) => form));
    const expected = Object.keys(forms).filter((form) => form !== 'nanoseconds');
    expect([...shown].sort()).to.deep.equal(expected.sort());
    const fields = [...inner, ...seconds, ...nanoseconds];
    expect(undocumented(fields, rows)).to.deep.equal([]);
  });
});
