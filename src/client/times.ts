import type {Json, JsonObject} from '../domain/json.js';
import {firstValue, isObject, readLabel} from './fields.js';
import {forms} from './names/times.js';

/** Creates a date; undefined for a value that no `Date` accepts. */
export function validDate(value: string | number): Date | undefined {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * Reads an ISO 8601 time with an offset from UTC: a trailing Z (interface §2), or any other offset, which is just as
 * clear. With `assumeUtc`, a time without an offset is in UTC, like all times of the interface.
 */
export function readIsoTime(value: Json, assumeUtc = false): Date | undefined {
  const match = typeof value === 'string' ? forms.iso.exec(value) : null;
  const [, day, time, isUtc = assumeUtc, hours, minutes = '00'] = match ?? [];
  if (time === undefined || !(isUtc || hours)) return undefined;
  return validDate(`${day}T${time.replace(',', '.')}${hours ? `${hours}:${minutes}` : 'Z'}`);
}

/** Reads a Unix time in the unit that puts it between 2000 and 2100. Values up to 0, in seconds, stand for no time. */
function readUnixTime(value: number): Date | undefined {
  const times = value <= 0 ? [value * 1000] : forms.units.map((unit) => (value / unit) * 1000);
  const [earliest, latest] = [Date.UTC(2000), Date.UTC(2100)];
  return validDate(times.find((at) => at <= 0 || (at >= earliest && at <= latest)) ?? Number.NaN);
}

function readTimeObject(object: JsonObject): Date | undefined {
  const {date, timezone} = object;
  if (typeof date === 'string') return readIsoTime(`${date} ${timezone}`);
  const seconds = firstValue(object, forms.seconds, readLabel);
  if (seconds === undefined) return firstValue(object, forms.inner, readTime);
  const nanoseconds = firstValue(object, forms.nanoseconds, readLabel) ?? 0;
  return readUnixTime(Number(seconds) + Number(nanoseconds) / 1e9);
}

/** Reads a time in any documented form, from a field that the interface leaves open; undefined for other values. */
export function readTime(value: Json): Date | undefined {
  // Tests the interface's own form first: the other tests would take most of the time for a long list.
  if (typeof value === 'string' && forms.usual.test(value)) return validDate(value);
  if (isObject(value)) return readTimeObject(value);
  const label = readLabel(value) ?? '';
  const digits = forms.digits.exec(label)?.[1];
  if (digits !== undefined) return readUnixTime(Number(digits));
  return forms.mail.test(label) ? validDate(label) : readIsoTime(label, true);
}
