import type {Json} from '../domain/json.js';

const isoTime =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) ?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?$/i;

/**
 * A time in ISO 8601 with its offset from UTC (interface §2: a trailing Z; any other offset is as
 * unambiguous). With `assumeUtc`, a time without offset is in UTC, like all times of the interface.
 */
export function readIsoTime(value: Json, assumeUtc = false): Date | undefined {
  const match = typeof value === 'string' ? isoTime.exec(value) : null;
  const [, day, time, isUtc = assumeUtc, hours, minutes = '00'] = match ?? [];
  if (time === undefined || !(isUtc || hours)) return undefined;
  return validDate(`${day}T${time.replace(',', '.')}${hours ? `${hours}:${minutes}` : 'Z'}`);
}

/** A date; undefined for an invalid one. */
export function validDate(value: string | number): Date | undefined {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Unix times from here on are in milliseconds (from 1973), smaller ones in seconds (until 5138). */
const firstMilliseconds = 1e11;

/** A time in a field that the interface leaves open: ISO 8601, or a Unix time. */
export function readTime(value: Json): Date | undefined {
  if (typeof value !== 'number') return readIsoTime(value, true);
  return validDate(value < firstMilliseconds ? value * 1000 : value);
}
