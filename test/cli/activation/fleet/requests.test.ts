import {expect} from 'chai';
import {Requests} from '../../../../src/cli/activation/fleet/requests.js';
import {AppError, type AppErrorOptions, type ErrorKind} from '../../../../src/errors.js';
import type {Clock} from '../../../../src/system/clock.js';
import {skippingClock} from '../../../support/skipping-clock.js';

/** A request that fails with these errors in turn, then succeeds; and how often it was sent. */
function failing(...errors: readonly AppError[]) {
  const request = {
    sent: 0,
    send: async () => {
      const error = errors[request.sent];
      request.sent += 1;
      if (error !== undefined) throw error;
      return 'done';
    },
  };
  return request;
}

const error = (kind: ErrorKind, options: AppErrorOptions = {}) =>
  new AppError(kind, 'failed', options);
const tooMany = (retryAfter?: number) => error('unavailable', {status: 429, retryAfter});
const never = new AbortController().signal;

describe('the requests of a fleet activation', () => {
  it('all wait after one of them was asked to slow down', async () => {
    const {clock, waits} = skippingClock();
    let slowed = () => {};
    const begun = new Promise<void>((resolve) => {
      slowed = resolve;
    });
    let end = () => {};
    const paused = new Promise<void>((resolve) => {
      end = resolve;
    });
    const held: Clock = {
      now: clock.now,
      async wait(milliseconds, signal) {
        slowed();
        await paused;
        await clock.wait(milliseconds, signal);
      },
    };
    const requests = new Requests(0, never, held);
    const first = requests.send(failing(tooMany(7000)).send, {repeatable: false});
    await begun;
    expect(requests.pause).to.equal(7000);
    const other = requests.ready();
    end();
    await Promise.all([first, other]);
    expect(waits).to.deep.equal([7000, 7000]);
    expect(requests.pause).to.equal(0);
  });

  it('wait longer each time when the service names no time', async () => {
    const {clock, waits} = skippingClock();
    const request = failing(tooMany(), tooMany(), tooMany());
    await new Requests(0, never, clock).send(request.send, {repeatable: false});
    expect(waits).to.deep.equal([500, 1000, 2000]);
  });

  it('take a Retry-After of 0, or in the past, for none', async () => {
    const {clock, waits} = skippingClock();
    const request = failing(tooMany(0), tooMany(0), tooMany(0));
    await new Requests(0, never, clock).send(request.send, {repeatable: false});
    expect(waits).to.deep.equal([500, 1000, 2000]);
  });

  it('do not give up while the service, which accepts one per second, accepts others', async () => {
    let now = 0;
    let used: number | undefined;
    const clock: Clock = {
      now: () => now,
      async wait(milliseconds) {
        const end = now + milliseconds;
        await Promise.resolve();
        now = Math.max(now, end);
      },
    };
    const requests = new Requests(0, never, clock);
    const request = async () => {
      const second = Math.floor(now / 1000);
      if (used === second) throw tooMany(1000);
      used = second;
    };
    const sent = Array.from({length: 30}, () => requests.send(request, {repeatable: false}));
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.map(({status}) => status)).not.to.include('rejected');
  });

  it('give up when the service asks again and again', async () => {
    const {clock} = skippingClock();
    const request = failing(...Array.from({length: 99}, () => tooMany(1)));
    const failure = await new Requests(0, never, clock)
      .send(request.send, {repeatable: false})
      .catch((thrown: unknown) => thrown);
    expect(failure).to.include({kind: 'unavailable'});
    expect(request.sent).to.equal(11);
  });

  it('are repeated after a lost response only if they may be', async () => {
    const lost = error('unavailable', {outcomeUnknown: true});
    for (const [repeatable, sent] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const request = failing(lost);
      await new Requests(2, never, skippingClock().clock)
        .send(request.send, {repeatable})
        .catch(() => undefined);
      expect(request.sent).to.equal(sent);
    }
  });

  it('report after a lost response that the outcome is unknown, whatever a repetition says', async () => {
    const request = failing(error('unavailable', {outcomeUnknown: true}), error('conflict'));
    const failure = await new Requests(2, never, skippingClock().clock)
      .send(request.send, {repeatable: true})
      .catch((thrown: unknown) => thrown);
    expect(failure).to.include({kind: 'conflict', outcomeUnknown: true});
  });

  it('are not repeated once the run stops', async () => {
    const stop = new AbortController();
    stop.abort();
    const request = failing(error('unavailable'));
    const failure = await new Requests(5, stop.signal, skippingClock().clock)
      .send(request.send, {repeatable: true})
      .catch((thrown: unknown) => thrown);
    expect(failure).to.include({kind: 'unavailable'});
    expect(request.sent).to.equal(1);
  });
});
