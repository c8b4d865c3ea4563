import type {HeartbeatReading} from '../../client/types.js';
import {limits} from '../../contract/limits.js';
import {type Jitter, jittered, pauseBefore} from '../../domain/backoff.js';
import {AppError, type ErrorKind} from '../../errors.js';
import type {Clock} from '../../system/clock.js';

/** Events of the loop; it does not wait for their handlers. Times are in milliseconds. */
export interface LoopEvents {
  accepted(reading: HeartbeatReading, nextIn: number): void;
  /** A heartbeat failed with a transient error; `lastSuccessAt` is a time of the clock. */
  failed(error: AppError, retryIn: number, lastSuccessAt: number | undefined): void;
}

interface LoopOptions {
  /** Sends one heartbeat. */
  readonly send: (signal: AbortSignal) => Promise<HeartbeatReading>;
  /** Milliseconds between heartbeats; undefined for the service's interval. */
  readonly every: number | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly events: LoopEvents;
}

/** Errors that a retry cannot fix: the service refuses the key, the connector or the request. */
const permanent = new Set<ErrorKind>(['usage', 'auth', 'not_found', 'conflict', 'internal']);

/**
 * The longest interval or Retry-After that a service can ask for, in milliseconds. A wrong unit must not
 * silence a connector for hours.
 */
export const longestPause = 60 * 60 * 1000;

/** Of heartbeats and of retries. */
const jitter: Jitter = [0.9, 1.1];

/**
 * Sends heartbeats until the signal aborts or a permanent error occurs. The interval runs from the start of
 * one heartbeat to the start of the next, so slow responses do not stretch it. After a transient error it
 * retries after 1 s, 2 s, 4 s … up to the interval, and not before the service's Retry-After.
 *
 * @throws AppError the permanent error
 */
export async function runHeartbeatLoop(options: LoopOptions): Promise<void> {
  const {send, every, signal, clock, random, events} = options;
  let interval = every ?? limits.heartbeatInterval.default * 1000;
  let failures = 0;
  let lastSuccessAt: number | undefined;
  while (!signal.aborted) {
    const startedAt = clock.now();
    let delay: number;
    try {
      const reading = await send(signal);
      failures = 0;
      lastSuccessAt = clock.now();
      if (every === undefined) interval = intervalOf(reading) ?? interval;
      delay = Math.max(jittered(interval, jitter, random()) - (lastSuccessAt - startedAt), 0);
      events.accepted(reading, delay);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError) || permanent.has(error.kind)) throw error;
      const retryAfter = Math.min(error.retryAfter ?? 0, longestPause);
      delay = pauseBefore(failures, {first: 1000, longest: interval, jitter}, random(), retryAfter);
      failures += 1;
      events.failed(error, delay, lastSuccessAt);
    }
    await clock.wait(delay, signal);
  }
}

/** The service's interval in milliseconds, within bounds. */
function intervalOf({nextHeartbeatSeconds}: HeartbeatReading): number | undefined {
  if (nextHeartbeatSeconds === undefined) return undefined;
  const {min} = limits.heartbeatInterval;
  return Math.min(Math.max(nextHeartbeatSeconds, min) * 1000, longestPause);
}
