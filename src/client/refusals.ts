import {type Jitter, pauseBefore} from '../domain/backoff.js';
import {minute} from '../domain/time.js';
import type {AppError, ErrorKind} from '../errors.js';

/** The failures and refusals in a row of a heartbeat loop. Times are in milliseconds of its clock. */
export interface Trouble {
  readonly failures: number;
  readonly refusals: number;
  /** Time of the first of the latest `key_revoked` responses in a row; undefined after another refusal. */
  readonly revokedSince: number | undefined;
}

/** The reaction to a failure or a refusal. */
interface Reaction extends Trouble {
  /** Milliseconds until the next heartbeat. */
  readonly retryIn: number;
  /** Whether the key stays revoked, so that no later heartbeat is accepted. */
  readonly isFinal: boolean;
}

export const noTrouble: Trouble = {failures: 0, refusals: 0, revokedSince: undefined};

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

/**
 * The one rule for heartbeats that are not accepted. After a failure the next one follows after 1 s, 2 s, 4 s … up to
 * the interval. Anything may stand in front of a service for a while and refuse in its place, so after a refusal it
 * follows too, later, except when the service itself has said for ten minutes that the key is revoked.
 *
 * @param interval of the heartbeats, in milliseconds
 * @param random uniform in [0, 1)
 */
export function reactTo(
  error: AppError,
  {failures, refusals, revokedSince}: Trouble,
  {now, interval, random}: Readonly<Record<'interval' | 'now' | 'random', number>>,
): Reaction {
  const {code, retryAfter} = error;
  const pause = (repeated: number, first: number, longest: number) =>
    pauseBefore(repeated, {first, longest, jitter, limit: longestPause}, random, retryAfter);
  if (!isRefusal(error)) {
    const retryIn = pause(failures, 1000, interval);
    return {failures: failures + 1, refusals, revokedSince, retryIn, isFinal: false};
  }
  const since = code === 'key_revoked' ? (revokedSince ?? now) : undefined;
  const left = since === undefined ? Number.POSITIVE_INFINITY : since + revokedFor - now;
  const retryIn = pause(refusals, unknown.has(code) ? refusedPause : minute / 2, refusedPause);
  return {
    failures,
    refusals: refusals + 1,
    revokedSince: since,
    // The heartbeat that decides is sent when the time is up.
    retryIn: left > 0 && retryAfter === undefined ? Math.min(retryIn, left) : retryIn,
    isFinal: left <= 0,
  };
}
