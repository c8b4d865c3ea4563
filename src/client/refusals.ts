import {type Jitter, pauseBefore} from '../domain/backoff.js';
import {minute} from '../domain/time.js';
import type {AppError, ErrorKind} from '../errors.js';

/** Duration of `key_revoked` responses after which the client believes them. */
const revokedFor = 10 * minute;

/** The longest pause after a refusal without `Retry-After`. */
const refusedPause = 5 * minute;

/** The longest interval or `Retry-After` of a service. A wrong unit must not silence a connector for hours. */
export const longestPause = 60 * minute;

/** Random factor for the pauses between heartbeats. */
export const jitter: Jitter = [0.9, 1.1];

/** Codes of records that the service may know again later: it may run with the wrong, empty store. */
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

/** What follows a heartbeat that is not accepted. */
interface Reaction {
  /** Milliseconds until the next heartbeat. */
  readonly retryIn: number;
  /** Whether the key stays revoked, so that no later heartbeat is accepted. */
  readonly isFinal: boolean;
}

/**
 * The heartbeats in a row that are not accepted, and the one rule for them. After a failure the next one follows after
 * 1 s, 2 s, 4 s … up to the interval. Anything may stand in front of a service for a while and refuse in its place, so
 * after a refusal it follows too, later, except when the service itself has said for ten minutes that the key is
 * revoked. An accepted heartbeat begins another one.
 */
export class Trouble {
  #failures = 0;
  #refusals = 0;
  /** Time of the first of the latest `key_revoked` responses in a row; undefined after another refusal. */
  #revokedSince: number | undefined;

  /**
   * @param now in milliseconds of the loop's clock
   * @param interval of the heartbeats, in milliseconds
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
    // The heartbeat that decides is sent when the time is up.
    const isTimed = left > 0 && retryAfter === undefined;
    return {retryIn: isTimed ? Math.min(retryIn, left) : retryIn, isFinal: left <= 0};
  }
}
