import type {HeartbeatReading} from '../client/types.js';
import {escapeControl} from './escape.js';
import {exactTime, relativeTime} from './time.js';

/** One line for an accepted heartbeat: which connector, and what its service tells of it. */
export function renderHeartbeatLine(id: string, reading: HeartbeatReading): string {
  const {status, lastHeartbeatAt, nextHeartbeatSeconds} = reading;
  const parts = [
    escapeControl(id),
    status === undefined ? 'heartbeat accepted' : escapeControl(status),
    ...(lastHeartbeatAt ? [`at ${exactTime(lastHeartbeatAt)}`] : []),
    ...(nextHeartbeatSeconds === undefined ? [] : [`next within ${nextHeartbeatSeconds}s`]),
  ];
  return `${parts.join('  ')}\n`;
}

/** What is known when a heartbeat failed and another will be tried. Times are in milliseconds. */
export interface HeartbeatFailure {
  readonly retryIn: number;
  /** On the same clock as `now`; undefined before the first success. */
  readonly lastSuccessAt: number | undefined;
  readonly now: number;
}

/** `failed: …; will try again in 4s (last success 2m ago)`. */
export function renderHeartbeatFailure(
  error: Error,
  {retryIn, lastSuccessAt, now}: HeartbeatFailure,
): string {
  const last =
    lastSuccessAt === undefined
      ? 'no success yet'
      : `last success ${relativeTime(new Date(lastSuccessAt), now)}`;
  const seconds = Math.max(1, Math.round(retryIn / 1000));
  return `failed: ${escapeControl(error.message)}; will try again in ${seconds}s (${last})`;
}

/** The state of a heartbeat process whose heartbeats are accepted, for a service manager. */
export function acceptedStatus(id: string, since: Date): string {
  return `Heartbeats of ${escapeControl(id)} are accepted since ${exactTime(since)}`;
}

/** The state of a heartbeat process whose heartbeats fail and are tried again. */
export function failingStatus(id: string, error: Error, since: Date): string {
  return `Heartbeats of ${escapeControl(id)} fail since ${exactTime(since)}: ${escapeControl(error.message)}`;
}
