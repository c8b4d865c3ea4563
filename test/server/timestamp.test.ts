import {expect} from 'chai';
import fc from 'fast-check';
import {timestamp} from '../../src/server/timestamp.js';

/** Milliseconds that a Date can be away from the epoch (ECMA-262 §21.4.1.1). */
const furthest = 8.64e15;
const day = 24 * 60 * 60 * 1000;

describe('a timestamp', () => {
  it('is what Date.toISOString says', () => {
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

  it('is so on more days than are remembered, and again', () => {
    for (let round = 0; round < 2; round += 1) {
      for (let number = 0; number < 10_100; number += 1) {
        const at = number * day + number;
        expect(timestamp(at)).to.equal(new Date(at).toISOString());
      }
    }
  });

  it('is not written for what is no time', () => {
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, furthest + day]) {
      expect(() => timestamp(at)).to.throw(RangeError);
    }
  });
});
