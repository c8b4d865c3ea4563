import {expect} from 'chai';
import {isContradicted, statusByAge} from '../../../src/domain/check/heard.js';
import {day, minute} from '../../../src/domain/time.js';

const now = Date.UTC(2026, 6, 1, 12);
const hour = 60 * minute;

describe('a status online and the last heartbeat', () => {
  for (const [what, interval, longest] of [
    ['an interval of a minute, after an hour', 60, hour],
    ['an interval of ten minutes, after 20 of them', 600, 200 * minute],
    ['no interval, after two days', undefined, 2 * day],
  ] as const) {
    it(`contradict each other with ${what}`, () => {
      expect(isContradicted(now - longest, () => interval, now)).to.equal(false);
      expect(isContradicted(now - longest - 1, () => interval, now)).to.equal(true);
    });
  }

  it('contradict each other when it is more than five minutes in the future', () => {
    expect(isContradicted(now + 5 * minute, () => 60, now)).to.equal(false);
    expect(isContradicted(now + 5 * minute + 1, () => undefined, now)).to.equal(true);
  });

  for (const [what, every, interval, within] of [
    ['daily heartbeats, also by an age of 25 hours', day, undefined, 25 * hour],
    ['heartbeats of a minute, also by an age of three', minute, 60, 3 * minute],
  ] as const) {
    it(`never contradict each other in a week of ${what}`, () => {
      for (let at = 0; at <= 7 * day; at += minute) {
        const last = at - (at % every);
        const name = `at ${at}`;
        expect(
          isContradicted(last, () => interval, at),
          name,
        ).to.equal(false);
        expect(statusByAge(undefined, last, {within, now: at}), name).to.equal('online');
      }
    });
  }
});

describe('a status by the last heartbeat', () => {
  const at = (last: number | null, word?: string) =>
    statusByAge(word, last, {within: 3 * minute, now});

  it('is online up to the age, offline after it, and never without any', () => {
    expect([now, now - 3 * minute, now - 3 * minute - 1, null].map((last) => at(last))).to.eql([
      'online',
      'online',
      'offline',
      'never',
    ]);
  });

  it('is not online more than five minutes in the future', () => {
    expect([now + 5 * minute, now + 5 * minute + 1].map((last) => at(last))).to.eql([
      'online',
      'offline',
    ]);
  });

  it('stays revoked, in upper or lower case, and takes no other word of the service', () => {
    expect(['Revoked', 'online', 'DOWN'].map((word) => at(now - day, word))).to.eql([
      'revoked',
      'offline',
      'offline',
    ]);
  });
});
