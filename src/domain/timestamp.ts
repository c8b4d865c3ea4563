/**
 * A time in ISO 8601 with milliseconds and a trailing Z (interface §2).
 *
 * @param at milliseconds since the Unix epoch
 * @throws RangeError for a day that no `Date` can hold
 */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

/** A time that there may not be; see `timestamp`. */
export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
