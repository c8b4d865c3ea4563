import type {HeartbeatReading} from '../../client/types.js';
import {limits} from '../../contract/limits.js';
import {AppError, type ErrorKind} from '../../errors.js';
import type {Clock} from '../terminal/clock.js';

/** What the loop tells while it runs; it does not wait for who listens. Times are in milliseconds. */
export interface LoopEvents {
  /** A heartbeat was accepted, and when the next one is due; undefined after the last. */
  accepted(reading: HeartbeatReading, nextIn: number | undefined): void;
  /** One failed in a way that may heal: when the next try is, and when the last success was. */
  failed(error: AppError, retryIn: number, lastSuccessAt: number | undefined): void;
}

export interface LoopOptions {
  /** Sends one heartbeat. */
  readonly send: (signal: AbortSignal) => Promise<HeartbeatReading>;
  /** Milliseconds between heartbeats; the service's interval where undefined. */
  readonly every: number | undefined;
  /** How many heartbeats to send, failed ones too; without end where undefined. */
  readonly count: number | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly events: LoopEvents;
}

/** What another try cannot heal: the key, the connector or the request itself is refused. */
const final = new Set<ErrorKind>(['usage', 'auth', 'not_found', 'conflict', 'internal']);

const firstRetry = 1000;

/**
 * The longest pause that a service is given, in milliseconds, whether it asks for it as the interval or
 * with Retry-After. A connector must not fall silent for hours over a mistaken unit.
 */
export const longestPause = 60 * 60 * 1000;

/** Spreads a fleet's heartbeats: ±10 %. */
const jittered = (milliseconds: number, random: () => number) =>
  milliseconds * (0.9 + 0.2 * random());

/**
 * Sends heartbeats until it is told to stop, the count is reached, or the service refuses for good.
 * The interval runs from the start of one heartbeat to the start of the next, so that slow answers
 * do not stretch it. Failures that may heal are tried again after 1 s, 2 s, 4 s … up to the interval,
 * and not before the service's Retry-After has passed.
 *
 * @throws AppError the refusal, or the last failure when the count ends on one
 */
export async function runHeartbeatLoop(options: LoopOptions): Promise<void> {
  const {send, every, count = Number.POSITIVE_INFINITY, signal, clock, random, events} = options;
  let interval = every ?? limits.heartbeatInterval.default * 1000;
  let failures = 0;
  let lastSuccessAt: number | undefined;
  for (let sent = 1; !signal.aborted; sent += 1) {
    const isLast = sent >= count;
    const startedAt = clock.now();
    let delay: number;
    try {
      const reading = await send(signal);
      failures = 0;
      lastSuccessAt = clock.now();
      if (every === undefined) interval = intervalOf(reading) ?? interval;
      delay = Math.max(jittered(interval, random) - (lastSuccessAt - startedAt), 0);
      events.accepted(reading, isLast ? undefined : delay);
      if (isLast) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError) || final.has(error.kind) || isLast) throw error;
      const backoff = jittered(Math.min(firstRetry * 2 ** failures, interval), random);
      const retryAfter = Math.min(error.retryAfter ?? 0, longestPause) * (1 + 0.1 * random());
      delay = Math.max(backoff, retryAfter);
      failures = Math.min(failures + 1, 30);
      events.failed(error, delay, lastSuccessAt);
    }
    await clock.wait(delay, signal);
  }
}

/** The service's interval in milliseconds, kept within bounds. */
function intervalOf({nextHeartbeatSeconds}: HeartbeatReading): number | undefined {
  if (nextHeartbeatSeconds === undefined) return undefined;
  const {min} = limits.heartbeatInterval;
  return Math.min(Math.max(nextHeartbeatSeconds, min) * 1000, longestPause);
}
