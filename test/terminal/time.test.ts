import {expect} from 'chai';
import {exactTime, relativePast, relativeTime} from '../../src/terminal/time.js';
import {now} from '../support/values/render.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('relativeTime', () => {
  const ages: [age: number, text: string][] = [
    [0, 'now'],
    [999, 'now'],
    [second, '1s ago'],
    [2 * minute - 1, '119s ago'],
    [2 * minute, '2m ago'],
    [2 * hour, '2h ago'],
    [2 * day - 1, '47h ago'],
    [2 * day, '2d ago'],
    [-999, 'now'],
    [-second, 'in 1s'],
    [-(15 * minute - 1), 'in 15m'],
    [-(14 * minute + 20 * second), 'in 14m'],
    [-24 * hour, 'in 24h'],
  ];
  for (const [age, text] of ages) {
    it(`is "${text}" for an age of ${age} ms`, () => {
      expect(relativeTime(new Date(now - age), now)).to.equal(text);
    });
  }
});

describe('relativePast', () => {
  it('is "now" up to a minute ahead, as the clock of a heartbeat differs', () => {
    for (const ahead of [0, 3 * second, minute]) {
      expect(relativePast(new Date(now + ahead), now)).to.equal('now');
    }
    expect(relativePast(new Date(now + 2 * minute), now)).to.equal('in 2m');
    expect(relativePast(new Date(now - 3 * second), now)).to.equal('3s ago');
  });
});

describe('exactTime', () => {
  it('is ISO 8601 in UTC', () => {
    expect(exactTime(new Date(now + 5))).to.equal('2026-07-01T12:00:00.005Z');
  });
});
