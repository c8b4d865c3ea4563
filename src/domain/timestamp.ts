import {day} from './time.js';

const twoDigits = Array.from({length: 100}, (_, number) => String(number).padStart(2, '0'));

/** Recently used dates by day since the Unix epoch: `2026-11-21T`. */
const dates = new Map<number, string>();
const mostDates = 10_000;

/**
 * A time in ISO 8601 with milliseconds and a trailing Z (interface §2): the result of
 * `Date.toISOString`, in a fifth of the time. Lists have two for each connector.
 *
 * @param at milliseconds since the Unix epoch
 * @throws RangeError for a day that no `Date` can hold
 */
export function timestamp(at: number): string {
  const whole = Math.trunc(at);
  const days = Math.floor(whole / day);
  const date = dateOf(days);
  const left = whole - days * day;
  const seconds = Math.floor(left / 1000);
  const minutes = Math.floor(seconds / 60);
  const milliseconds = left % 1000;
  return `${date}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${Math.floor(milliseconds / 100)}${twoDigits[milliseconds % 100]}Z`;
}

function dateOf(days: number): string {
  let date = dates.get(days);
  if (date === undefined) {
    const midnight = new Date(days * day).toISOString();
    date = midnight.slice(0, midnight.indexOf('T') + 1);
    if (dates.size === mostDates) dates.clear();
    dates.set(days, date);
  }
  return date;
}
