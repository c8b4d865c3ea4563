import {isValid, monotonicFactory} from 'ulid';

/** The prefixes of public ids. */
type IdPrefix = 'con' | 'key';

/** Creates an id such as `con_01ARZ3NDEKTSV4RRFFQ69G5FAV`. `now` is in milliseconds since the Unix epoch. */
export type IdFactory = (prefix: IdPrefix, now: number) => string;

/**
 * Creates ids that sort by creation, also within one millisecond and when the clock is set back.
 *
 * @param random uniform in [0, 1)
 */
export function createIdFactory(random: () => number): IdFactory {
  const ulid = monotonicFactory(random);
  return (prefix, now) => `${prefix}_${ulid(now)}`;
}

/** Whether a text has the form of an id with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && isValid(text.slice(prefix.length + 1));
}
