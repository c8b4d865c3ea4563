import {day} from './time.js';

/** Recently used dates by day since the Unix epoch: `2026-11-21T`. */
const dates = new Map<number, string>();
const mostDates = 10_000;

const digits = Array.from({length: 60}, (_, number) => String(number).padStart(2, '0'));

/**
 * A time in ISO 8601 with milliseconds and a trailing Z (interface §2): the same text as `Date.toISOString`, which
 * would take a third of the CPU time of a list.
 *
 * @param at milliseconds since the Unix epoch
 * @throws RangeError for a day that no `Date` can hold
 */
export function timestamp(at: number): string {
  const whole = Math.trunc(at);
  const days = Math.floor(whole / day);
  const left = whole - days * day;
  const second = Math.floor(left / 1000);
  const minute = Math.floor(second / 60);
  const time = `${digits[Math.floor(minute / 60)]}:${digits[minute % 60]}:${digits[second % 60]}`;
  return `${dateOf(days)}${time}.${String(left % 1000).padStart(3, '0')}Z`;
}

/** An optional time; see `timestamp`. */
export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}

function dateOf(days: number): string {
  let date = dates.get(days);
  if (date === undefined) {
    date = new Date(days * day).toISOString().slice(0, -'00:00:00.000Z'.length);
    if (dates.size === mostDates) dates.clear();
    dates.set(days, date);
  }
  return date;
}
