import {endpoints, type Operation} from '../../contract/endpoints.js';
import type {ProblemCode} from '../../contract/problems.js';

/** What a response, or its absence, shows about its request. */
export interface Outcome {
  /** Whether the service may have carried out the request. */
  readonly isLost: boolean;
  /** Whether the same request may be sent again. */
  readonly isPassing: boolean;
}

type Row = readonly [answer: RegExp, did: 'nothing' | 'perhaps', repeatable: readonly Operation[]];

const every = Object.keys(endpoints) as readonly Operation[];
/**
 * Operations to repeat after a lost response. An activation has an Idempotency-Key; a service that ignores it reports a
 * used token, which the error explains. No second token is created, because the lost one would stay valid.
 */
const allButTokens = every.filter((operation) => operation !== 'createToken');

/**
 * The outcomes of unsuccessful responses by status, followed by "untouched" if the service's code says that it did
 * nothing. A proxy may send any status although the service carried out the request. The first match wins.
 */
const outcomes: readonly Row[] = [
  // The request was not processed (RFC 8470 §5.2, RFC 6585 §4).
  [/^4(25|29)/, 'nothing', every],
  [/^408/, 'perhaps', allButTokens],
  [/^[1-4]/, 'nothing', []],
  [/^503 untouched/, 'nothing', every],
  [/untouched/, 'nothing', []],
  // Usually nothing was done. If a token was created nevertheless, it expires unused.
  [/^503/, 'perhaps', every],
  // A gateway lost the response; 520 to 524 and 530 are Cloudflare's.
  [/^(50[24]|52[0-4]|530)/, 'perhaps', allButTokens],
  [/^5/, 'perhaps', []],
];
/** The outcome when no complete response arrived. */
const unread: Row = [/^/, 'perhaps', allButTokens];

/**
 * The codes by which the reference service says that it did nothing. `store_unavailable` is not among them: the
 * connection to PostgreSQL may break during a commit, and a JSON file store may lose its lock after it has written.
 * Nor is `internal`: it stands for any failure, also one after a commit.
 */
const untouched: ReadonlySet<string | undefined> = new Set<ProblemCode | 'sandbox_fault'>([
  'audit_unavailable',
  'no_api_key',
  'overloaded',
  'sandbox_fault',
  'stopping',
  'store_full',
  'too_many_connectors',
  'too_many_lists',
]);

/** @param status of an unsuccessful response; undefined if no complete response arrived */
export function outcomeOf(operation: Operation, status?: number, code?: string): Outcome {
  const answer = `${status}${untouched.has(code) ? ' untouched' : ''}`;
  const [, did, repeatable] = outcomes.find(([pattern]) => pattern.test(answer)) ?? unread;
  return {isLost: did === 'perhaps', isPassing: repeatable.includes(operation)};
}
