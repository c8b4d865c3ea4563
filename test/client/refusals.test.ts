import {expect} from 'chai';
import {Trouble} from '../../src/client/refusals.js';
import {AppError} from '../../src/errors.js';

const minute = 60_000;

interface Refusal {
  readonly code?: string;
  readonly retryAfter?: number;
}

const refuse = (trouble: Trouble, refusal: Refusal, now: number) =>
  trouble.add(new AppError('auth', 'refused', {status: 401, ...refusal}), now, minute, 0.5);

/** The reactions to the same refusal, each when the pause of the last one is over; times in seconds. */
function reactions(refusal: Refusal, count: number) {
  const trouble = new Trouble();
  let now = 0;
  return Array.from({length: count}, () => {
    const at = now / 1000;
    const {retryIn, isFinal} = refuse(trouble, refusal, now);
    now += retryIn;
    return {at, isFinal};
  });
}

describe('the rule for refused heartbeats', () => {
  const times = (refusal: Refusal, count = 6) =>
    reactions(refusal, count).map(({at, isFinal}) => (isFinal ? `end at ${at}` : at));

  it('pauses 30 s, then twice as long each time, up to 5 min', () => {
    expect(times({})).to.deep.equal([0, 30, 90, 210, 450, 750]);
    expect(times({code: 'key_forbidden'})).to.deep.equal([0, 30, 90, 210, 450, 750]);
  });

  for (const code of ['key_unknown', 'connector_unknown']) {
    it(`tries again every 5 min after ${code}, without an end`, () => {
      expect(times({code}, 4)).to.deep.equal([0, 300, 600, 900]);
    });
  }

  it('ends after ten minutes of key_revoked', () => {
    expect(times({code: 'key_revoked'})).to.deep.equal([0, 30, 90, 210, 450, 'end at 600']);
  });

  it('obeys Retry-After, up to an hour', () => {
    const [, second = 0] = times({retryAfter: 8 * minute}, 2);
    expect(second).to.be.within(480, 528);
    expect(times({retryAfter: 86_400_000}, 2)).to.deep.equal([0, 3600]);
    const [, later = 0] = times({code: 'key_revoked', retryAfter: 11 * minute}, 2);
    expect(later).to.match(/^end at (6[6-9]|7[0-2])/);
  });

  it('counts the ten minutes again after any other refusal', () => {
    const trouble = new Trouble();
    refuse(trouble, {code: 'key_revoked'}, 0);
    refuse(trouble, {}, 5 * minute);
    expect(refuse(trouble, {code: 'key_revoked'}, 11 * minute).isFinal).to.equal(false);
    expect(refuse(trouble, {code: 'key_revoked'}, 21 * minute).isFinal).to.equal(true);
  });
});
