import {clockTolerance, day, minute} from '../domain/time.js';
import {timestamp} from '../domain/timestamp.js';

const second = 1000;
const hour = 60 * minute;

/**
 * A time relative to now: `12s ago`, `3m ago`, `in 15m`, and `now` within a second. A unit is used up to
 * twice the next one (`119m`, then `2h`). Past times are rounded down, future ones to the nearest unit:
 * a new token for 15 minutes shows `in 15m`.
 *
 * @param now milliseconds since the Unix epoch
 */
export function relativeTime(at: Date, now: number): string {
  const age = now - at.getTime();
  const distance = Math.abs(age);
  if (distance < second) return 'now';
  return age > 0 ? `${duration(distance, Math.floor)} ago` : `in ${duration(distance, Math.round)}`;
}

/** As `relativeTime`, for a past time: up to a minute ahead, which only differing clocks explain, it shows `now`. */
export function relativePast(at: Date, now: number): string {
  const ahead = at.getTime() - now;
  return relativeTime(ahead > 0 && ahead <= clockTolerance ? new Date(now) : at, now);
}

/** A duration in the unit that `relativeTime` chooses: `45s`, `119m`, `2h`, `5d`. */
export function duration(milliseconds: number, round: (value: number) => number): string {
  if (milliseconds < 2 * minute) return `${round(milliseconds / second)}s`;
  if (milliseconds < 2 * hour) return `${round(milliseconds / minute)}m`;
  if (milliseconds < 2 * day) return `${round(milliseconds / hour)}h`;
  return `${round(milliseconds / day)}d`;
}

/** ISO 8601 in UTC with milliseconds and a trailing Z (interface §2). */
export function exactTime(at: Date): string {
  return timestamp(at.getTime());
}
