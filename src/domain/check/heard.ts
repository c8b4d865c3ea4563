import {day, minute} from '../time.js';

/** Milliseconds that a last heartbeat may be ahead: the clocks of the service's machines may differ. */
const mostAhead = 5 * minute;

/**
 * Whether the last heartbeat is at most `limit` milliseconds old. A time further ahead than `mostAhead` proves nothing.
 *
 * @param at the last heartbeat, and `now` the service's clock, in milliseconds since the Unix epoch
 */
const isHeardWithin = (limit: number, at: number, now: number): boolean =>
  now - at <= limit && at - now <= mostAhead;

/**
 * Whether the last heartbeat contradicts the status `online`: it is further ahead than `mostAhead`, or older than an hour
 * and 20 intervals (twice `staleIntervals`); without an interval, than two days. Times as in `isHeardWithin`.
 *
 * @param readInterval returns the service's heartbeat interval in seconds; undefined where it names none
 */
export function isContradicted(
  at: number,
  readInterval: () => number | undefined,
  now: number,
): boolean {
  if (isHeardWithin(60 * minute, at, now)) return false;
  const interval = readInterval();
  return !isHeardWithin(interval === undefined ? 2 * day : 20 * interval * 1000, at, now);
}

/** Times between which a last heartbeat never contradicts a status, one minute inside the limits. */
export const neverContradicted = (now: number) => [now - 59 * minute, now + mostAhead - minute];

/**
 * The status by the last heartbeat alone. Times as in `isHeardWithin`.
 *
 * @param word the service's own status: only `revoked` counts, which no heartbeat ends
 * @param at null without any heartbeat
 */
export function statusByAge(
  word: string | undefined,
  at: number | null,
  {within, now}: {readonly within: number; readonly now: number},
): string {
  if (word?.toLowerCase() === 'revoked') return 'revoked';
  if (at === null) return 'never';
  return isHeardWithin(within, at, now) ? 'online' : 'offline';
}
