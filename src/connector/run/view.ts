import type {HeartbeatReading} from '../../client/types.js';
import {counted} from '../../domain/words.js';
import {escapeControl} from '../../terminal/escape.js';
import {duration, exactTime, relativeTime} from '../../terminal/time.js';

/**
 * One line for an accepted heartbeat: the connector and what its service reports.
 *
 * @param every milliseconds between heartbeats; undefined for the service's interval
 */
export function renderHeartbeatLine(
  id: string,
  {status, lastHeartbeatAt, nextHeartbeatSeconds}: HeartbeatReading,
  every?: number,
): string {
  const next = every === undefined ? nextHeartbeatSeconds : every / 1000;
  const parts = [
    escapeControl(id),
    status === undefined ? 'heartbeat accepted' : escapeControl(status),
    ...(lastHeartbeatAt ? [`at ${exactTime(lastHeartbeatAt)}`] : []),
    ...(next === undefined ? [] : [`next within ${next}s`]),
  ];
  return parts.join('  ');
}

/** The line about a failure: `2026-… failing: …; trying again in 4s`. A service's detail may end in a period. */
function trouble(at: Date, state: string, message: string, retryIn: number): string {
  const cause = escapeControl(message).replace(/\.$/, '');
  const next = duration(Math.max(1000, retryIn), Math.round);
  return `${exactTime(at)} ${state}: ${cause}; trying again in ${next}`;
}

/**
 * As `trouble`, with `(3 failures, last success 2m ago)`. Times are in milliseconds.
 *
 * @param failures in a row, including this one
 * @param sinceSuccess undefined before the first success
 */
export function renderFailing(
  at: Date,
  {message}: Error,
  failures: number,
  retryIn: number,
  sinceSuccess: number | undefined,
): string {
  const now = at.getTime();
  const last =
    sinceSuccess === undefined
      ? 'no success yet'
      : `last success ${relativeTime(new Date(now - sinceSuccess), now)}`;
  return `${trouble(at, 'failing', message, retryIn)} (${counted(failures, 'failure')}, ${last})`;
}

/** As `trouble`, with `, and until it is accepted`, and the hint on the next line. */
export function renderRefusal(
  at: Date,
  {message, hint}: {readonly message: string; readonly hint?: string | undefined},
  retryIn: number,
): string {
  const line = `${trouble(at, 'refused', message, retryIn)}, and until it is accepted`;
  return hint === undefined ? line : `${line}\n  ${escapeControl(hint)}`;
}

/** The line after a failure: `2026-… accepted again after 2m and 8 failures`. */
export function renderRecovered(at: Date, lasted: number, failures: number): string {
  return `${exactTime(at)} accepted again after ${duration(lasted, Math.round)} and ${counted(failures, 'failure')}`;
}

/** The line that says whether another process sends heartbeats for the same connector. */
export function renderShared(at: Date, id: string, isShared: boolean): string {
  const connector = escapeControl(id);
  return isShared
    ? `${exactTime(at)} shared: another process also sends heartbeats for ${connector}, with this credentials file or a copy of it. Stop one of the two. If both are needed, activate one of them as a new connector: connectorctl connector activate --force --credentials-file FILE`
    : `${exactTime(at)} no longer shared: no other process sends heartbeats for ${connector}`;
}

/** The status of a heartbeat process for a service manager, while its heartbeats are accepted. */
export function acceptedStatus(id: string, since: Date): string {
  return `Heartbeats of ${escapeControl(id)} accepted since ${exactTime(since)}`;
}

/** The status of a heartbeat process for a service manager, while heartbeats, or the activation before them, fail. */
export function failingStatus(error: Error, since: Date): string {
  return `Failing since ${exactTime(since)}: ${escapeControl(error.message)}`;
}
