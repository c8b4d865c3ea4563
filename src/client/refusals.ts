import {type Jitter, pauseBefore} from '../domain/backoff.js';
import {minute} from '../domain/time.js';
import type {AppError, ErrorKind} from '../errors.js';

/** Milliseconds of `key_revoked`, without another refusal in between, after which the client believes it. */
const revokedFor = 10 * minute;

/** The longest pause after a refusal without `Retry-After`, in milliseconds. */
const refusedPause = 5 * minute;

/** Maximum for a service's interval or `Retry-After`, in milliseconds: a wrong unit must not stop heartbeats for hours. */
export const longestPause = 60 * minute;

/** Random factor for the pauses between heartbeats. */
export const jitter: Jitter = [0.9, 1.1];

/** Codes for unknown records. The service may know them later: it may run with a wrong, empty store. */
const unknown: ReadonlySet<string | undefined> = new Set(['key_unknown', 'connector_unknown']);

/** Kinds of failures in which a response refuses the key, the connector or the request. */
const permanent: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'usage',
  'auth',
  'not_found',
  'conflict',
  'internal',
]);

/** Whether every later heartbeat would fail too: a permanent kind without a response means wrong arguments. */
export function isPermanent({kind, status}: AppError): boolean {
  return permanent.has(kind) && status === undefined;
}

/** Whether a response refuses the heartbeat. */
export function isRefusal({kind, status}: AppError): boolean {
  return permanent.has(kind) && status !== undefined;
}

/** The next step after a heartbeat that was not accepted. */
interface Reaction {
  /** Milliseconds until the next heartbeat. */
  readonly retryIn: number;
  /** Whether the key stays revoked, so that no later heartbeat is accepted. */
  readonly isFinal: boolean;
}

/**
 * A run of heartbeats that were not accepted, and the rule for the next attempt. After a failure, the loop retries in
 * 1 s, 2 s, 4 s … up to the interval. After a refusal, it retries later, because a proxy may refuse in place of the
 * service for a while. A refusal is final only when the service has reported a revoked key for ten minutes. An accepted
 * heartbeat ends the run.
 */
export class Trouble {
  #failures = 0;
  #refusals = 0;
  /** Start of the current run of `key_revoked` responses, in milliseconds; undefined after any other refusal. */
  #revokedSince: number | undefined;

  /**
   * @param now the time of the loop's clock, in milliseconds
   * @param interval the time between heartbeats, in milliseconds
   * @param random uniform in [0, 1)
   */
  add(error: AppError, now: number, interval: number, random: number): Reaction {
    const {code, retryAfter} = error;
    const pause = (repeated: number, first: number, longest: number) =>
      pauseBefore(repeated, {first, longest, jitter, limit: longestPause}, random, retryAfter);
    if (!isRefusal(error)) {
      this.#failures += 1;
      return {retryIn: pause(this.#failures - 1, 1000, interval), isFinal: false};
    }
    this.#revokedSince = code === 'key_revoked' ? (this.#revokedSince ?? now) : undefined;
    const left = (this.#revokedSince ?? Number.POSITIVE_INFINITY) + revokedFor - now;
    const first = unknown.has(code) ? refusedPause : minute / 2;
    const retryIn = pause(this.#refusals, first, refusedPause);
    this.#refusals += 1;
    // The deciding heartbeat is sent as soon as the ten minutes are over.
    const isTimed = left > 0 && retryAfter === undefined;
    return {retryIn: isTimed ? Math.min(retryIn, left) : retryIn, isFinal: left <= 0};
  }
}
