import {expect} from 'chai';
import {expiresSoon} from '../../src/domain/key-expiry.js';
import {day} from '../../src/domain/time.js';

describe('the expiry of a key', () => {
  /** The life of a key in days, the days that are left, and whether that is soon. */
  const cases: readonly (readonly [life: number | undefined, left: number, isSoon: boolean])[] = [
    [90, 8, false],
    [90, 7, true],
    [90, 1 / 24, true],
    [90, -1, true],
    [10, 2.1, false],
    [10, 2, true],
    [1, 0.21, false],
    [1, 0.2, true],
    [undefined, 8, false],
    [undefined, 7, true],
  ];
  for (const [life, left, isSoon] of cases) {
    it(`is ${isSoon ? '' : 'not '}soon with ${left} days left of ${life ?? 'an unknown number'}`, () => {
      const createdAt = life === undefined ? undefined : (left - life) * day;
      expect(expiresSoon({createdAt, expiresAt: left * day}, 0)).to.equal(isSoon);
    });
  }
});
