import {getEventListeners} from 'node:events';
import {expect} from 'chai';
import {runHeartbeatLoop} from '../../src/client/keep-alive.js';
import type {HeartbeatReading, KeepAliveChange, KeepAliveOptions} from '../../src/client/types.js';
import {AppError, type ErrorKind} from '../../src/errors.js';
import {clientWithoutDelays} from '../support/client.js';
import {bytes, inTurn, json, type Respond, thirdPartyService} from '../support/third-party.js';
import {skippingClock} from '../support/time/skipping-clock.js';

const reading = (nextHeartbeatSeconds?: number): HeartbeatReading => ({
  status: 'online',
  lastHeartbeatAt: undefined,
  nextHeartbeatSeconds,
  serverTime: undefined,
  raw: {},
});

/** Not called: without a last heartbeat there is nothing to compare. */
const noRead = () => expect.fail('a look');

type Scripted = HeartbeatReading | ErrorKind | AppError;

/** Runs the loop for a number of heartbeats with scripted responses; the last one repeats. */
async function loop(
  responses: readonly Scripted[],
  options: {
    every?: number;
    count?: number;
    random?: () => number;
    respondsIn?: number;
    endsWhenRevoked?: boolean;
    renew?: () => Promise<boolean>;
  } = {},
) {
  const stop = new AbortController();
  const count = options.count ?? responses.length;
  const {clock, waits, pass} = skippingClock(() => sent === count && stop.abort());
  const due: number[] = [];
  const failures: number[] = [];
  const refusals: number[] = [];
  let sent = 0;
  const run = runHeartbeatLoop({
    async send() {
      const response = responses[Math.min(sent, responses.length - 1)]!;
      sent += 1;
      pass(options.respondsIn ?? 0);
      if (typeof response === 'string') throw new AppError(response, response);
      if (response instanceof AppError) throw response;
      return response;
    },
    read: noRead,
    every: options.every,
    signal: stop.signal,
    clock,
    random: options.random ?? (() => 0.5),
    endsWhenRevoked: options.endsWhenRevoked ?? true,
    ...(options.renew && {renew: options.renew}),
    onTurn(turn) {
      if (turn.isAlive) due.push(turn.nextIn);
      else (turn.isRefused ? refusals : failures).push(turn.retryIn);
    },
    onShared: () => undefined,
  });
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return {waits, failures, refusals, sent, accepted: due.length, error, now: clock.now()};
}

describe('the heartbeat loop', () => {
  const busy = (retryAfter: number) => new AppError('unavailable', 'busy', {retryAfter});
  const asked = [busy(10_000), busy(120_000), busy(0)];
  const day = [busy(86_400_000), reading(30_000)];
  const slow = {every: 10_000, count: 2};
  const pauses: readonly (readonly [
    what: string,
    responses: readonly Scripted[],
    options: Parameters<typeof loop>[1],
    waits: readonly number[],
  ])[] = [
    ['for 60 s by default', [reading()], {}, [60_000]],
    [
      'for the interval that the service requests',
      [reading(30), reading(20), reading()],
      {},
      [30_000, 20_000, 20_000],
    ],
    ['for --every rather than that', [reading(30)], {every: 5000}, [5000]],
    ['for a tenth less at least', [reading()], {every: 10_000, random: () => 0}, [9000]],
    ['for a tenth more at most', [reading()], {every: 10_000, random: () => 1}, [11_000]],
    ['for at least 1 s after a success', [reading(0), reading(-5)], {}, [1000, 1000]],
    ['without the time of a slow response', [reading()], {...slow, respondsIn: 4000}, [6000, 6000]],
    ['not at all after a very slow one', [reading()], {...slow, respondsIn: 25_000}, [0, 0]],
    ['after a slow failure', ['unavailable'], {...slow, respondsIn: 25_000}, [1000, 2000]],
    ['for Retry-After at least', asked, {every: 1000, random: () => 0}, [10_000, 120_000, 900]],
    [
      'for a tenth more than that at most',
      asked,
      {every: 1000, random: () => 1},
      [11_000, 132_000, 1100],
    ],
    ['for an hour at most, less a tenth', day, {random: () => 0}, [3_600_000, 3_240_000]],
    ['for an hour at most', day.slice(0, 1), {random: () => 1}, [3_600_000]],
  ];
  for (const [what, responses, options, waits] of pauses) {
    it(`waits ${what}`, async () => {
      expect((await loop(responses, options)).waits).to.deep.equal(waits);
    });
  }

  it('backs off from 1 s up to the interval, and starts over after a success', async () => {
    const away: Scripted[] = ['unavailable', 'remote', 'protocol', 'unavailable', 'unavailable'];
    const responses = [reading(), ...away, reading(), 'unavailable', reading()] as const;
    const {failures} = await loop(responses, {every: 10_000});
    expect(failures).to.deep.equal([1000, 2000, 4000, 8000, 10_000, 1000]);
  });

  for (const kind of ['auth', 'not_found', 'conflict', 'usage', 'internal'] as const) {
    it(`stops on an error of kind ${kind} without a response, because a retry cannot succeed`, async () => {
      const {error, sent} = await loop([reading(), kind, reading()], {count: 10});
      expect(error).to.be.instanceOf(AppError).with.property('kind', kind);
      expect(sent).to.equal(2);
    });

    it(`outlasts responses of kind ${kind}, which something in front of the service may send`, async () => {
      const page = new AppError(kind, 'a page', {status: 404});
      const {refusals, error, accepted} = await loop([reading(), page, page, reading()]);
      expect({refusals, error, accepted}).to.deep.equal({
        refusals: [30_000, 60_000],
        error: undefined,
        accepted: 2,
      });
    });
  }

  const revoked = new AppError('auth', 'revoked', {status: 401, code: 'key_revoked'});

  it('ends when its key stays revoked for ten minutes, unless a command runs', async () => {
    const ended = await loop([reading(), revoked], {count: 20});
    expect(ended.error).to.equal(revoked);
    expect(ended.now).to.equal(660_000);
    const lasting = await loop([reading(), revoked], {count: 20, endsWhenRevoked: false});
    expect(lasting.error).to.equal(undefined);
    expect(lasting.refusals).to.have.length(19);
  });

  it('looks for another key every 5 s while it is refused, and continues with it at once', async () => {
    const renewals: number[] = [];
    const {waits, error} = await loop([reading(), revoked, reading()], {
      every: 1000,
      renew: async () => renewals.push(0) === 4,
    });
    expect(waits).to.deep.equal([1000, 5000, 5000, 5000, 1000]);
    expect(error).to.equal(undefined);
  });

  it('ends without an error when its signal aborts during a wait or a request', async () => {
    for (const stopIn of ['wait', 'send']) {
      const controller = new AbortController();
      const {clock} = skippingClock(() => stopIn === 'wait' && controller.abort());
      await runHeartbeatLoop({
        async send() {
          if (stopIn === 'send') {
            controller.abort();
            throw new AppError('cancelled', 'aborted');
          }
          return reading();
        },
        read: noRead,
        every: 1000,
        signal: controller.signal,
        clock,
        random: () => 0.5,
        endsWhenRevoked: true,
        onTurn: ({isAlive}) => expect(isAlive).to.equal(true),
        onShared: () => undefined,
      });
      expect(controller.signal.aborted).to.equal(true);
    }
  });
});

describe('keepAlive of the client', () => {
  const due = json({next_heartbeat_seconds: 30});
  const away = json({}, 503);

  /** Keeps a connector alive until the service has seen as many requests as it has responses. */
  async function kept(responses: readonly Respond[], options: KeepAliveOptions = {}) {
    const stop = new AbortController();
    const last: Respond = (_request, response) => {
      stop.abort();
      response.destroy();
    };
    const service = await thirdPartyService(inTurn(...responses, last));
    const {client, pauses: waits} = clientWithoutDelays(service.url);
    const changes: string[] = [];
    const onChange = (change: KeepAliveChange) => {
      changes.push(change.isAlive ? 'alive' : `${change.error.reason} for ${change.retryIn}`);
    };
    const error = await client
      .keepAlive('con_1', {signal: stop.signal, onChange, ...options})
      .catch((reason: unknown) => reason);
    const listeners = getEventListeners(stop.signal, 'abort').length;
    return {error, waits, changes, seen: service.seen, listeners};
  }

  const total = (waits: readonly number[]) => waits.reduce((sum, wait) => sum + wait, 0);

  it('outlasts an outage, and tells only of its begin and end', async () => {
    const {error, waits, changes, seen} = await kept([due, away, away, away, away, due, due]);
    expect(error).to.equal(undefined);
    expect(seen.map(({method, path}) => `${method} ${path}`)).to.deep.equal(
      Array.from({length: 8}, () => 'POST /api/connectors/con_1/heartbeat'),
    );
    expect(changes).to.have.length(3);
    expect(changes[0]).to.equal('alive');
    expect(changes[1]).to.match(/^service-unavailable for \d+/);
    expect(changes[2]).to.equal('alive');
    // 30 s, then 1, 2, 4 and 8 s, then twice 30 s, each by ±10 %.
    expect(total(waits)).to.be.within(0.9 * 105_000, 1.1 * 105_000);
  });

  it('takes an empty 200 for that of something in between once the service has answered with an object', async () => {
    const blank = bytes('', {server: 'Caddy'});
    const {error, changes} = await kept([blank, due, blank, blank, due, bytes('', {}, 204)]);
    expect(error).to.equal(undefined);
    expect(changes).to.have.length(3);
    expect(changes[1]).to.match(/^body-incomplete for \d+/);
    const {url} = await thirdPartyService(inTurn(due, blank));
    const {client} = clientWithoutDelays(url, {retries: 0});
    await client.sendHeartbeat('con_1');
    const failed = await client.sendHeartbeat('con_1').catch(({message}: Error) => message);
    expect(failed).to.include('it is empty, unlike earlier ones; Caddy in between');
  });

  it('sends nothing while the caller is not healthy', async () => {
    const answers: (boolean | Error)[] = [true, false, new Error('disk')];
    const isHealthy = async () => {
      const answer = answers.shift() ?? true;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const {changes, seen} = await kept([due, due, due], {isHealthy});
    expect(seen).to.have.length(4);
    expect(changes.map((change) => change.split(' ')[0])).to.deep.equal([
      'alive',
      'unhealthy',
      'alive',
    ]);
  });

  it('leaves no listeners on its signal', async () => {
    const {seen, listeners} = await kept(Array.from({length: 300}, () => due));
    expect([seen.length, listeners]).to.deep.equal([301, 0]);
  });

  it('sends heartbeats at the interval of the caller', async () => {
    const {waits} = await kept([due, due], {every: 5000});
    for (const wait of waits) expect(wait).to.be.within(4000, 5500);
  });

  for (const every of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses an interval of ${every} ms`, async () => {
      const {error, seen} = await kept([due], {every});
      expect(error).to.include({kind: 'usage', reason: 'interval-invalid'});
      expect(seen).to.deep.equal([]);
    });
  }
});
