import {limits} from '../contract/limits.js';
import {type Jitter, jittered, pauseBefore} from '../domain/backoff.js';
import {AppError} from '../errors.js';
import type {Clock} from '../system/clock.js';
import {ClientError} from './messages.js';
import {
  isPermanent,
  isRefusal,
  longestPause,
  noRefusals,
  type Refusals,
  reactTo,
} from './refusals.js';
import {SenderWatch, tolerance} from './sender-watch.js';
import type {ConnectorReading, HeartbeatReading, KeepAliveOptions} from './types.js';

/** Events of the loop. Times are in milliseconds. */
export interface LoopEvents {
  accepted(reading: HeartbeatReading, nextIn: number): void;
  /** A heartbeat failed, and a later one may succeed; `lastSuccessAt` is a time of the clock. */
  failed(error: AppError, retryIn: number, lastSuccessAt: number | undefined): void;
  /** The service, or something in its place, refused a heartbeat. */
  refused(error: AppError, retryIn: number): void;
  /** Another process began to send heartbeats for the connector, or stopped. */
  shared(isShared: boolean): void;
}

interface LoopOptions {
  /** Sends one heartbeat. */
  readonly send: (signal: AbortSignal) => Promise<HeartbeatReading>;
  readonly read: (signal: AbortSignal) => Promise<ConnectorReading>;
  /** Checks for another key while heartbeats are refused. @returns whether there is one now */
  readonly renew?: () => Promise<boolean>;
  /** Whether a key that stays revoked ends the loop. */
  readonly endsWhenRevoked: boolean;
  /** Milliseconds between heartbeats; undefined for the service's interval. */
  readonly every: number | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly events: LoopEvents;
}

/** Random factor for the pauses between heartbeats and between retries. */
const jitter: Jitter = [0.9, 1.1];

/** The longest time limit for reading this process's connector, in milliseconds. */
const longestRead = 10_000;

/** Milliseconds between two checks for another key while heartbeats are refused. */
const renewEvery = 5000;

/**
 * Sends heartbeats until the signal aborts. The interval runs from the start of one heartbeat to the start of the
 * next, so slow responses do not stretch it. After a failure it retries after 1 s, 2 s, 4 s … up to the interval,
 * and not before the service's Retry-After (at most an hour); after a refusal as `reactTo` says.
 *
 * @throws AppError a failure that no later heartbeat can change
 */
export async function runHeartbeatLoop(options: LoopOptions): Promise<void> {
  const {send, read, every, signal, clock, random, events} = options;
  let interval = every ?? limits.heartbeatInterval.default * 1000;
  let failures = 0;
  let refusals = noRefusals;
  let lastSuccessAt: number | undefined;
  const watch = new SenderWatch();
  while (!signal.aborted) {
    const startedAt = clock.now();
    // A slow response delays the heartbeat no more than the jitter does.
    const readSoon = () => {
      const limit = AbortSignal.timeout(Math.min(Math.ceil(interval / 10), longestRead));
      return read(AbortSignal.any([signal, limit]));
    };
    if (watch.isDue) {
      const isShared = await watch.evaluate(readSoon);
      if (isShared !== undefined) events.shared(isShared);
    }
    let delay: number | undefined;
    try {
      const reading = await send(signal);
      failures = 0;
      refusals = noRefusals;
      lastSuccessAt = clock.now();
      await watch.accepted(reading, readSoon);
      if (every === undefined) interval = intervalOf(reading) ?? interval;
      // The watch finds heartbeats later than our own by more than the tolerance; the long pause leaves time for one.
      const pause = watch.isDue
        ? jittered(interval, jitter, 1) + tolerance
        : jittered(interval, jitter, random());
      delay = Math.max(pause - (clock.now() - startedAt), 0);
      events.accepted(reading, delay);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError)) throw error;
      watch.failed();
      if (isRefusal(error)) {
        refusals = await afterRefusal(error, refusals, options);
        continue;
      }
      if (isPermanent(error)) throw error;
      const backoff = {first: 1000, longest: interval, jitter};
      delay = Math.min(pauseBefore(failures, backoff, random(), error.retryAfter), longestPause);
      failures += 1;
      events.failed(error, delay, lastSuccessAt);
    }
    await clock.wait(delay, signal);
  }
}

/** Waits after a refusal; another key ends the wait. @throws AppError the refusal, if it is final */
async function afterRefusal(
  error: AppError,
  before: Refusals,
  {renew, endsWhenRevoked, signal, clock, random, events}: LoopOptions,
): Promise<Refusals> {
  const {retryIn, isFinal, ...refusals} = reactTo(error, before, clock.now(), random());
  if (isFinal && endsWhenRevoked) throw error;
  events.refused(error, retryIn);
  const end = clock.now() + retryIn;
  while (!signal.aborted && clock.now() < end) {
    if (await renew?.()) return noRefusals;
    const left = end - clock.now();
    await clock.wait(renew === undefined ? left : Math.min(left, renewEvery), signal);
  }
  return refusals;
}

/** The service's interval in milliseconds, within bounds. */
function intervalOf({nextHeartbeatSeconds}: HeartbeatReading): number | undefined {
  if (nextHeartbeatSeconds === undefined) return undefined;
  const {min} = limits.heartbeatInterval;
  return Math.min(Math.max(nextHeartbeatSeconds, min) * 1000, longestPause);
}

/**
 * The loop for programs: reports changes only, and ends when the key stays revoked.
 *
 * @param connector sends one heartbeat, and reads the connector
 * @throws AppError for an invalid argument, or for a key that stays revoked
 */
export async function keepAlive(
  {send, read}: Pick<LoopOptions, 'read' | 'send'>,
  {signal = new AbortController().signal, every, isHealthy, onChange, onShared}: KeepAliveOptions,
  clock: Clock,
): Promise<void> {
  if (every !== undefined && !(every > 0 && Number.isFinite(every))) {
    const message = 'The interval must be a number of milliseconds, more than 0';
    throw new ClientError('usage', message, 'interval-invalid');
  }
  let last: 'alive' | 'failed' | 'refused' | undefined;
  const notAlive = (state: 'failed' | 'refused') => (error: AppError, retryIn: number) => {
    if (last !== state) onChange?.({isAlive: false, error, retryIn});
    last = state;
  };
  const events: LoopEvents = {
    accepted(reading) {
      if (last !== 'alive') onChange?.({isAlive: true, reading});
      last = 'alive';
    },
    failed: notAlive('failed'),
    refused: notAlive('refused'),
    shared: (isShared) => onShared?.(isShared),
  };
  await runHeartbeatLoop({
    async send(abort) {
      if (isHealthy) await checkHealth(isHealthy, abort);
      return send(abort);
    },
    read,
    endsWhenRevoked: true,
    every,
    signal,
    clock,
    random: Math.random,
    events,
  });
}

/** @throws AppError `unavailable` unless the caller says that it is healthy */
async function checkHealth(
  isHealthy: NonNullable<KeepAliveOptions['isHealthy']>,
  signal: AbortSignal,
): Promise<void> {
  const unhealthy = (how: string, cause?: unknown) =>
    new ClientError('unavailable', `no heartbeat sent: isHealthy ${how}`, 'unhealthy', {cause});
  let healthy: boolean;
  try {
    healthy = await isHealthy(signal);
  } catch (cause) {
    throw unhealthy('failed', cause);
  }
  if (!healthy) throw unhealthy('returned false');
}
