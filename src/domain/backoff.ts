/** A time is multiplied by a random factor between these two, so that a fleet spreads out. */
export type Jitter = readonly [least: number, most: number];

/** The growth of the pauses between attempts, in milliseconds. */
export interface Backoff {
  /** The pause before the first repetition; each further one doubles it. */
  readonly first: number;
  readonly longest: number;
  readonly jitter: Jitter;
}

/** An attempt before the time that the service names is refused. */
const retryAfterJitter: Jitter = [1, 1.1];

/** @param random uniform in [0, 1) */
export function jittered(milliseconds: number, [least, most]: Jitter, random: number): number {
  return milliseconds * (least + (most - least) * random);
}

/**
 * The pause before a repetition, in milliseconds. It is never shorter than the `Retry-After` of the service
 * (RFC 9110 §10.2.3), and never shorter than the back-off, because services round down to 0.
 *
 * @param repeated number of earlier repetitions in a row
 * @param random uniform in [0, 1)
 * @param retryAfter milliseconds; the caller limits how long it waits
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
