import type {Json, JsonObject} from '../domain/json.js';
import {isObject, readLabel} from './fields.js';

/**
 * A time in ISO 8601 with its offset from UTC (interface §2: a trailing Z; any other offset is as
 * unambiguous). With `assumeUtc`, a time without offset is in UTC, like all times of the interface.
 */
export function readIsoTime(value: Json, assumeUtc = false): Date | undefined {
  const match = typeof value === 'string' ? forms.iso.exec(value) : null;
  const [, day, time, isUtc = assumeUtc, hours, minutes = '00'] = match ?? [];
  if (time === undefined || !(isUtc || hours)) return undefined;
  return validDate(`${day}T${time.replace(',', '.')}${hours ? `${hours}:${minutes}` : 'Z'}`);
}

/** A date; undefined for an invalid one. */
export function validDate(value: string | number): Date | undefined {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The documented forms of times in texts and objects. The table of the test holds their sources. */
export const forms = {
  iso: /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) ?(?:(Z|UTC)|([+-]\d\d)(?::?(\d\d))?)?(?:\[[\w/+-]+\])?$/i,
  /** RFC 9110 §5.6.7, RFC 5322 §3.3 */
  mail: /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/,
  digits: /^(?:\/Date\()?(-?\d+(?:\.\d+)?)(?:[+-]\d{4})?(?:\)\/)?$/,
  /** Fields of the time in an object. */
  inner: ['$date', '$numberLong'],
  /** Fields of seconds, and of the nanoseconds beside them. */
  seconds: ['_seconds', 'seconds', 'secs_since_epoch'],
  nanoseconds: ['_nanoseconds', 'nanoseconds', 'nanos', 'nanos_since_epoch'],
} as const;

/** Units of a Unix time: how many of them are a second. */
const units = [1, 1e3, 1e6, 1e9];
const [earliest, latest] = [Date.UTC(2000), Date.UTC(2100)];

/** A Unix time in the unit that puts it between 2000 and 2100; 0 and less, in seconds, stand for no time. */
function readUnixTime(value: number): Date | undefined {
  const times = units.map((perSecond) => (value / perSecond) * 1000);
  const time = value <= 0 ? value * 1000 : times.find((at) => at >= earliest && at <= latest);
  return time === undefined ? undefined : validDate(time);
}

const firstOf = (object: JsonObject, names: readonly string[]) =>
  names.map((name) => object[name]).find((value) => value !== undefined) ?? null;

function readTimeObject(object: JsonObject): Date | undefined {
  const inner = firstOf(object, forms.inner);
  if (inner !== null) return readTime(inner);
  const {date, timezone} = object;
  if (typeof date === 'string') return readIsoTime(`${date} ${timezone}`);
  const seconds = readLabel(firstOf(object, forms.seconds));
  const nanoseconds = readLabel(firstOf(object, forms.nanoseconds)) ?? 0;
  return seconds === undefined ? undefined : readTime(Number(seconds) + Number(nanoseconds) / 1e9);
}

/** A time in a field that the interface leaves open, in any documented form; undefined for all else. */
export function readTime(value: Json): Date | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return readUnixTime(Number(value));
  if (isObject(value)) return readTimeObject(value);
  if (typeof value !== 'string') return undefined;
  const digits = forms.digits.exec(value)?.[1];
  if (digits !== undefined) return readUnixTime(Number(digits));
  return forms.mail.test(value) ? validDate(value) : readIsoTime(value, true);
}
