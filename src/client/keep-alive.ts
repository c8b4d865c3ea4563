import {limits} from '../contract/limits.js';
import {jittered} from '../domain/backoff.js';
import {AppError} from '../errors.js';
import type {Clock} from '../system/clock.js';
import {ClientError} from './messages.js';
import {isPermanent, isRefusal, jitter, longestPause, Trouble} from './refusals.js';
import {SenderWatch, tolerance} from './sender-watch.js';
import {checkNames} from './settings.js';
import type {
  ConnectorReading,
  HeartbeatReading,
  KeepAliveChange,
  KeepAliveOptions,
} from './types.js';

interface LoopOptions {
  /** Sends one heartbeat. */
  readonly send: (signal: AbortSignal) => Promise<HeartbeatReading>;
  readonly read: (signal: AbortSignal) => Promise<ConnectorReading>;
  /** Looks for a new key while heartbeats are refused. @returns whether it found one */
  readonly renew?: () => Promise<boolean>;
  /** Whether a failure ends the loop. Default: `isPermanent`. */
  readonly isLasting?: (error: AppError) => boolean;
  /** Whether a key that stays revoked ends the loop. */
  readonly endsWhenRevoked: boolean;
  /** Milliseconds between heartbeats; undefined for the service's interval. */
  readonly every: number | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly onTurn: (turn: KeepAliveChange) => void;
  /** Called when another process begins or stops sending heartbeats for the connector. */
  readonly onShared?: ((isShared: boolean) => void) | undefined;
}

/** Milliseconds between two checks for a new key while heartbeats are refused. */
const renewEvery = 5000;

/**
 * Sends heartbeats until the signal aborts. The interval runs from the start of one heartbeat to the start of the
 * next, so slow responses do not stretch it. After a failure or a refusal, `Trouble` decides when to retry.
 *
 * @throws AppError when no later heartbeat can succeed
 */
export async function runHeartbeatLoop(options: LoopOptions): Promise<void> {
  const {send, read, every, isLasting = isPermanent, endsWhenRevoked, signal} = options;
  const {clock, random, onTurn, onShared} = options;
  let interval = every ?? limits.heartbeatInterval.default * 1000;
  let trouble = new Trouble();
  const watch = new SenderWatch();
  while (!signal.aborted) {
    const startedAt = clock.now();
    if (watch.isDue) {
      const isShared = await watch.evaluate(() => read(signal));
      if (isShared !== undefined) onShared?.(isShared);
    }
    try {
      const reading = await send(signal);
      trouble = new Trouble();
      await watch.accepted(reading, () => read(signal));
      if (every === undefined) interval = intervalOf(reading) ?? interval;
      // `SenderWatch` finds a heartbeat only if it follows ours by more than the tolerance: pause long enough for one.
      const pause = watch.isDue
        ? jittered(interval, jitter, 1) + tolerance
        : jittered(interval, jitter, random());
      const nextIn = Math.max(pause - (clock.now() - startedAt), 0);
      onTurn({isAlive: true, reading, nextIn});
      await clock.wait(nextIn, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError) || isLasting(error)) throw error;
      watch.failed();
      const {retryIn, isFinal} = trouble.add(error, clock.now(), interval, random());
      if (isFinal && endsWhenRevoked) throw error;
      const isRefused = isRefusal(error);
      onTurn({isAlive: false, error, isRefused, retryIn});
      if (await waitUnlessRenewed(retryIn, isRefused, options)) trouble = new Trouble();
    }
  }
}

/** Waits; after a refusal, a new key ends the wait. @returns whether `renew` found one */
async function waitUnlessRenewed(
  milliseconds: number,
  isRefused: boolean,
  {renew, signal, clock}: LoopOptions,
): Promise<boolean> {
  const step = isRefused && renew !== undefined ? renewEvery : milliseconds;
  const end = clock.now() + milliseconds;
  do {
    if (isRefused && (await renew?.())) return true;
    await clock.wait(Math.min(end - clock.now(), step), signal);
  } while (!signal.aborted && clock.now() < end);
  return false;
}

/** The service's interval in milliseconds, within our limits; undefined if the service names none. */
function intervalOf({nextHeartbeatSeconds}: HeartbeatReading): number | undefined {
  if (nextHeartbeatSeconds === undefined) return undefined;
  const {min} = limits.heartbeatInterval;
  return Math.min(Math.max(nextHeartbeatSeconds, min) * 1000, longestPause);
}

/**
 * The heartbeat loop for programs: it reports only changes, and ends when the key stays revoked.
 *
 * @param connector sends one heartbeat, and reads the connector
 * @throws AppError for an invalid argument or proxy variable, or for a key that stays revoked
 */
export async function keepAlive(
  {send, read}: Pick<LoopOptions, 'read' | 'send'>,
  options: KeepAliveOptions,
  clock: Clock,
): Promise<void> {
  const {signal = new AbortController().signal, every, isHealthy, onChange, onShared} = options;
  checkNames('keepAlive', options, {signal, every, isHealthy, onChange, onShared});
  if (every !== undefined && !(every > 0 && Number.isFinite(every))) {
    const message = 'The interval must be a number of milliseconds, more than 0';
    throw new ClientError('usage', message, 'interval-invalid');
  }
  let last: string | undefined;
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
    onTurn(turn) {
      const state = `${turn.isAlive} ${!turn.isAlive && turn.isRefused}`;
      if (state !== last) onChange?.(turn);
      last = state;
    },
    onShared,
  });
}

/** @throws AppError `unavailable` when `isHealthy` returns false or fails */
async function checkHealth(
  isHealthy: NonNullable<KeepAliveOptions['isHealthy']>,
  signal: AbortSignal,
): Promise<void> {
  const unhealthy = (how: string, options = {}) =>
    new ClientError('unavailable', `no heartbeat sent: isHealthy ${how}`, 'unhealthy', options);
  const isWell = await Promise.resolve(signal)
    .then(isHealthy)
    .catch((cause: unknown) => Promise.reject(unhealthy('failed', {cause})));
  if (!isWell) throw unhealthy('returned false');
}
