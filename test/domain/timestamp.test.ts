import {expect} from 'chai';
import fc from 'fast-check';
import {timestamp} from '../../src/domain/timestamp.js';

/** Largest distance of a Date from the epoch in milliseconds (ECMA-262 §21.4.1.1). */
const furthest = 8.64e15;
const day = 24 * 60 * 60 * 1000;

describe('a timestamp', () => {
  it('equals the result of Date.toISOString', () => {
    const anyTime = fc.oneof(
      fc.integer({min: 0, max: Date.UTC(2100, 0)}),
      fc.integer({min: -furthest, max: furthest}),
      fc.double({min: -furthest, max: furthest, noNaN: true}),
      fc.constantFrom(-1, 0, furthest, -furthest, Date.UTC(10_000, 0) - 1, Date.UTC(10_000, 0)),
    );
    fc.assert(
      fc.property(anyTime, (at) => {
        expect(timestamp(at)).to.equal(new Date(at).toISOString());
      }),
      {numRuns: 2000},
    );
  });

  it('is correct on more days than the cache holds', () => {
    for (let round = 0; round < 2; round += 1) {
      for (let number = 0; number < 10_100; number += 1) {
        const at = number * day + number;
        expect(timestamp(at)).to.equal(new Date(at).toISOString());
      }
    }
  });

  it('throws a RangeError for an invalid time', () => {
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, furthest + day]) {
      expect(() => timestamp(at)).to.throw(RangeError);
    }
  });
});
