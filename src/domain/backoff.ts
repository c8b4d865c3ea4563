/** The bounds of a random factor for pauses, which spreads the requests of many connectors. */
export type Jitter = readonly [least: number, most: number];

/** The growth of the pauses between attempts, in milliseconds. */
export interface Backoff {
  /** The pause before the first repetition; each further one doubles it. */
  readonly first: number;
  /** The longest pause, before the jitter. */
  readonly longest: number;
  readonly jitter: Jitter;
  /** No pause is longer than this, not even for a `Retry-After`. */
  readonly limit?: number;
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
 * @param retryAfter milliseconds
 */
export function pauseBefore(
  repeated: number,
  {first, longest, jitter, limit = Number.POSITIVE_INFINITY}: Backoff,
  random: number,
  retryAfter = 0,
): number {
  const doubled = Math.min(first * 2 ** repeated, longest);
  const backedOff = jittered(doubled, jitter, random);
  return Math.min(Math.max(backedOff, jittered(retryAfter, retryAfterJitter, random)), limit);
}

/** The options of `repeat`. */
interface Repetition {
  readonly backoff: Backoff;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /**
   * Whether to repeat the work after a failure and a pause; `repeated` counts the repetitions so far. It may throw
   * another error in place of the failure.
   */
  readonly mayRepeat: (error: unknown, repeated: number, pause: number) => boolean;
}

/** Repeats work until it succeeds, or must not be repeated. @throws the last failure */
export async function repeat<T>(
  work: () => Promise<T>,
  {backoff, random, wait, mayRepeat}: Repetition,
): Promise<T> {
  for (let repeated = 0; ; repeated += 1) {
    try {
      return await work();
    } catch (error) {
      const {retryAfter} = error as {readonly retryAfter?: number | undefined};
      const pause = pauseBefore(repeated, backoff, random(), retryAfter);
      if (!mayRepeat(error, repeated, pause)) throw error;
      await wait(pause);
    }
  }
}
