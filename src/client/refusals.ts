import {type Jitter, pauseBefore} from '../domain/backoff.js';
import {minute} from '../domain/time.js';
import type {AppError, ErrorKind} from '../errors.js';

/** The refusals in a row of a heartbeat loop. Times are in milliseconds of its clock. */
export interface Refusals {
  readonly inARow: number;
  /** Time of the first of the latest `key_revoked` responses in a row; undefined after any other response. */
  readonly revokedSince: number | undefined;
}

/** The reaction to a refusal. */
interface Reaction extends Refusals {
  /** Milliseconds until the next heartbeat. */
  readonly retryIn: number;
  /** Whether the key stays revoked, so that no later heartbeat is accepted. */
  readonly isFinal: boolean;
}

export const noRefusals: Refusals = {inARow: 0, revokedSince: undefined};

/** Duration of `key_revoked` responses after which the client believes them. */
const revokedFor = 10 * minute;

/** The longest pause after a refusal without `Retry-After`. */
const refusedPause = 5 * minute;

/** The longest interval or `Retry-After` of a service. A wrong unit must not silence a connector for hours. */
export const longestPause = 60 * minute;

const jitter: Jitter = [0.9, 1.1];
const growing = {first: minute / 2, longest: refusedPause, jitter};

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
 * The one rule for refused heartbeats. Anything may stand in front of a service for a while and refuse in its place,
 * so a heartbeat is sent again, except after the service itself has said for ten minutes that the key is revoked.
 *
 * @param random uniform in [0, 1)
 */
export function reactTo(
  {code, retryAfter}: Pick<AppError, 'code' | 'retryAfter'>,
  {inARow, revokedSince}: Refusals,
  now: number,
  random: number,
): Reaction {
  const since = code === 'key_revoked' ? (revokedSince ?? now) : undefined;
  const backoff = unknown.has(code) ? {...growing, first: refusedPause} : growing;
  const pause = Math.min(pauseBefore(inARow, backoff, random, retryAfter), longestPause);
  const left = since === undefined ? Number.POSITIVE_INFINITY : since + revokedFor - now;
  return {
    inARow: inARow + 1,
    revokedSince: since,
    // The heartbeat that decides is sent when the time is up.
    retryIn: left > 0 && retryAfter === undefined ? Math.min(pause, left) : pause,
    isFinal: left <= 0,
  };
}
