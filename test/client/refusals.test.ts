import {expect} from 'chai';
import {noRefusals, type Refusals, reactTo} from '../../src/client/refusals.js';

const minute = 60_000;

/** The reactions to the same refusal, each when the pause of the last one is over; times in seconds. */
function reactions(refusal: {code?: string; retryAfter?: number}, count: number) {
  let state: Refusals = noRefusals;
  let now = 0;
  return Array.from({length: count}, () => {
    const at = now / 1000;
    const reaction = reactTo({code: undefined, retryAfter: undefined, ...refusal}, state, now, 0.5);
    state = reaction;
    now += reaction.retryIn;
    return {at, isFinal: reaction.isFinal};
  });
}

describe('the rule for refused heartbeats', () => {
  const times = (refusal: {code?: string; retryAfter?: number}, count = 6) =>
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
    const revoked = {code: 'key_revoked', retryAfter: undefined};
    const page = {code: undefined, retryAfter: undefined};
    const first = reactTo(revoked, noRefusals, 0, 0.5);
    const between = reactTo(page, first, 5 * minute, 0.5);
    const last = reactTo(revoked, between, 11 * minute, 0.5);
    expect(last).to.include({isFinal: false, revokedSince: 11 * minute, inARow: 3});
  });
});
