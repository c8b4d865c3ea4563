import {expect} from 'chai';
import {createClient} from '../../src/client/create-client.js';
import {runHeartbeatLoop} from '../../src/client/keep-alive.js';
import {noRefusals, type Refusals, reactTo} from '../../src/client/refusals.js';
import {AppError} from '../../src/errors.js';
import {skippingClock} from '../support/skipping-clock.js';
import {
  closeThirdPartyServices,
  json,
  type Respond,
  thirdPartyService,
} from '../support/third-party-service.js';

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

describe('a machine whose service is replaced for an hour', () => {
  afterEach(closeThirdPartyServices);

  const page = (status: number, headers = {}): Respond => {
    const html = '<!doctype html><title>Gateway</title>';
    return (_request, response) =>
      response.writeHead(status, {'content-type': 'text/html', ...headers}).end(html);
  };
  const problem = (code: string, status: number) => json({code, title: 'Refused', status}, status);
  const accepted = json({status: 'online', next_heartbeat_seconds: 60});

  /** Runs the loop for 75 virtual minutes; from the 5th to the 65th the other response is sent. */
  async function hourAway(other: Respond, endsWhenRevoked: boolean) {
    const stop = new AbortController();
    const {clock} = skippingClock(() => clock.now() > 75 * minute && stop.abort());
    const service = await thirdPartyService((request, response, index) => {
      const isAway = clock.now() >= 5 * minute && clock.now() < 65 * minute;
      if (isAway && request.method === 'POST') other(request, response, index);
      else if (isAway) page(200)(request, response, index);
      else accepted(request, response, index);
    });
    const client = createClient({baseUrl: service.url, retries: 0});
    const beats: number[] = [];
    const error = await runHeartbeatLoop({
      send: (signal) => client.sendHeartbeat('con_1', {signal}),
      read: (signal) => client.getConnector('con_1', {signal}),
      endsWhenRevoked,
      every: undefined,
      signal: stop.signal,
      clock,
      random: Math.random,
      events: {
        accepted: () => beats.push(clock.now() / minute),
        failed: () => undefined,
        refused: () => undefined,
        shared: () => undefined,
      },
    }).catch((reason: unknown) => reason);
    return {error, beats, end: clock.now() / minute};
  }

  const others: readonly (readonly [what: string, other: Respond])[] = [
    ['a 404 page', page(404)],
    ['a 403 page', page(403)],
    ['a redirect to a login page', page(303, {location: '/login'})],
    ['an empty store, to which the key is unknown', problem('key_unknown', 401)],
    ['an empty store, to which the connector is unknown', problem('connector_unknown', 404)],
  ];
  for (const [what, other] of others) {
    it(`is online again within six minutes after ${what}`, async () => {
      const {error, beats} = await hourAway(other, true);
      expect(error).to.equal(undefined);
      expect(beats.find((at) => at >= 65)).to.be.below(71);
      expect(beats.at(-1)).to.be.above(73);
    });
  }

  it('ends when its key stays revoked for ten minutes, unless a command runs', async () => {
    const revoked = problem('key_revoked', 401);
    const {error, end} = await hourAway(revoked, true);
    expect(error).to.be.instanceOf(AppError).and.include({kind: 'auth', code: 'key_revoked'});
    expect((error as AppError).message).to.match(/^Cannot send the heartbeat .* returned 401/);
    expect(end).to.be.within(15, 17);
    const lasting = await hourAway(revoked, false);
    expect(lasting.error).to.equal(undefined);
    expect(lasting.beats.at(-1)).to.be.above(73);
  });
});
