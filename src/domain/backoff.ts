/** The bounds of a random factor for pauses, which spreads the requests of many connectors. */
export type Jitter = readonly [least: number, most: number];

/** The growth of the pauses between attempts, in milliseconds. */
export interface Backoff {
  /** The pause before the first repetition; each further one doubles it. */
  readonly first: number;
  /** The longest, before the jitter. */
  readonly longest: number;
  readonly jitter: Jitter;
}

/** At least 1: a service may refuse an attempt before its `Retry-After`. */
const retryAfterJitter: Jitter = [1, 1.1];

/** @param random uniform in [0, 1) */
export function jittered(milliseconds: number, [least, most]: Jitter, random: number): number {
  return milliseconds * (least + (most - least) * random);
}

/**
 * The pause before a repetition, in milliseconds: at least the service's `Retry-After` (RFC 9110 §10.2.3), and at least
 * the back-off, because some services round `Retry-After` down to 0. The back-off doubles from `first` to `longest`, and
 * is multiplied by the jitter.
 *
 * @param repeated number of earlier repetitions in a row
 * @param random uniform in [0, 1)
 * @param retryAfter milliseconds, already limited by the caller
 */
export function pauseBefore(
  repeated: number,
  {first, longest, jitter}: Backoff,
  random: number,
  retryAfter = 0,
): number {
  const doubled = Math.min(first * 2 ** repeated, longest);
  return Math.max(
    jittered(doubled, jitter, random),
    jittered(retryAfter, retryAfterJitter, random),
  );
}
