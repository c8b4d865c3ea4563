import {limits} from '../contract/limits.js';
import {type Jitter, jittered, pauseBefore} from '../domain/backoff.js';
import {AppError, type ErrorKind} from '../errors.js';
import type {Clock} from '../system/clock.js';
import {clientError} from './reasons.js';
import type {HeartbeatReading, KeepAliveOptions} from './types.js';

/** Events of the loop. Times are in milliseconds. */
export interface LoopEvents {
  accepted(reading: HeartbeatReading, nextIn: number): void;
  /** A heartbeat failed with a transient error; `lastSuccessAt` is a time of the clock. */
  failed(error: AppError, retryIn: number, lastSuccessAt: number | undefined): void;
  /**
   * A heartbeat failed with a permanent error.
   *
   * @returns milliseconds until the next one; undefined to end the loop
   * @throws to end the loop with an error
   */
  refused(error: AppError): Promise<number | undefined>;
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
 * Sends heartbeats until the signal aborts or a refusal ends it. The interval runs from the start of one
 * heartbeat to the start of the next, so slow responses do not stretch it. After a transient error it retries
 * after 1 s, 2 s, 4 s … up to the interval, and not before the service's Retry-After.
 *
 * @throws what `refused` throws
 */
export async function runHeartbeatLoop(options: LoopOptions): Promise<void> {
  const {send, every, signal, clock, random, events} = options;
  let interval = every ?? limits.heartbeatInterval.default * 1000;
  let failures = 0;
  let lastSuccessAt: number | undefined;
  while (!signal.aborted) {
    const startedAt = clock.now();
    let delay: number | undefined;
    try {
      const reading = await send(signal);
      failures = 0;
      lastSuccessAt = clock.now();
      if (every === undefined) interval = intervalOf(reading) ?? interval;
      delay = Math.max(jittered(interval, jitter, random()) - (lastSuccessAt - startedAt), 0);
      events.accepted(reading, delay);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError)) throw error;
      if (permanent.has(error.kind)) {
        delay = await events.refused(error);
        if (delay === undefined) return;
      } else {
        const backoff = {first: 1000, longest: interval, jitter};
        delay = Math.min(pauseBefore(failures, backoff, random(), error.retryAfter), longestPause);
        failures += 1;
        events.failed(error, delay, lastSuccessAt);
      }
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

/**
 * The loop for programs: reports changes only, and ends with the first refusal.
 *
 * @param send sends one heartbeat
 * @throws AppError for an invalid interval, or for a permanent refusal
 */
export async function keepAlive(
  send: LoopOptions['send'],
  {signal = new AbortController().signal, every, isHealthy, onChange}: KeepAliveOptions,
  clock: Clock,
): Promise<void> {
  if (every !== undefined && !(every > 0 && Number.isFinite(every))) {
    const message = 'The interval must be a number of milliseconds, more than 0';
    throw clientError('usage', message, 'interval-invalid');
  }
  let wasAlive: boolean | undefined;
  const sendIfHealthy = async (abort: AbortSignal) => {
    if (isHealthy) await checkHealth(isHealthy, abort);
    return send(abort);
  };
  const events: LoopEvents = {
    accepted(reading) {
      if (wasAlive !== true) onChange?.({isAlive: true, reading});
      wasAlive = true;
    },
    failed(error, retryIn) {
      if (wasAlive !== false) onChange?.({isAlive: false, error, retryIn});
      wasAlive = false;
    },
    refused: (error) => Promise.reject(error),
  };
  await runHeartbeatLoop({send: sendIfHealthy, every, signal, clock, random: Math.random, events});
}

/** @throws AppError `unavailable` unless the caller says that it is healthy */
async function checkHealth(
  isHealthy: NonNullable<KeepAliveOptions['isHealthy']>,
  signal: AbortSignal,
): Promise<void> {
  const unhealthy = (how: string, cause?: unknown) =>
    clientError('unavailable', `no heartbeat sent: isHealthy ${how}`, 'unhealthy', {cause});
  let healthy: boolean;
  try {
    healthy = await isHealthy(signal);
  } catch (cause) {
    throw unhealthy('failed', cause);
  }
  if (!healthy) throw unhealthy('returned false');
}
