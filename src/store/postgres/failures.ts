import pg from 'pg';
import {errorMessage} from '../../node-errors.js';
import {StoreError, type StoreErrorKind} from '../store.js';

/**
 * What went wrong with a statement, and what to do about it:
 * `connection`: the server is gone, or takes no writes any more. Discard the pool and connect again,
 * perhaps to another server.
 * `transient`: the server is there, and the same statement may work on the same pool in a moment.
 * `final`: trying again would have the same result.
 * After the first two nobody knows whether the statement took effect; all of ours may be repeated.
 */
export type Failure =
  | {readonly kind: 'connection' | 'transient'; readonly error: StoreError}
  | {readonly kind: 'final'; readonly error: unknown};

/**
 * What a SQLSTATE means for the pool. `session` depends on the severity: FATAL ends the session, so the
 * server is going away. ERROR leaves the session as it is: the server reports that it has lost another
 * one, such as a Citus coordinator a worker, and the pool is good.
 */
export type Meaning = 'session' | 'connection' | 'transient' | StoreErrorKind;

/** SQLSTATE by its first characters, the longest match first (PostgreSQL documentation, appendix A). */
export const sqlStates: Readonly<Record<string, Meaning>> = {
  '25006': 'connection', // read_only_sql_transaction: it was a primary once
  '25P03': 'session', // idle_in_transaction_session_timeout
  '25P04': 'session', // transaction_timeout
  '26000': 'misconfigured', // invalid_sql_statement_name
  '40001': 'transient', // serialization_failure
  '40003': 'transient', // statement_completion_unknown
  '40P01': 'transient', // deadlock_detected
  '55P03': 'transient', // lock_not_available
  '53100': 'full', // disk_full
  '53300': 'session', // too_many_connections
  '57014': 'unavailable', // query_canceled: it took longer than the time limit
  '42P05': 'misconfigured', // duplicate_prepared_statement
  '42P07': 'format', // duplicate_table
  '42P01': 'format', // undefined_table
  '42703': 'format', // undefined_column
  '42501': 'misconfigured', // insufficient_privilege
  '3D000': 'misconfigured', // invalid_catalog_name
  '3F000': 'misconfigured', // invalid_schema_name
  '08': 'session', // connection_exception
  '28': 'misconfigured', // invalid_authorization_specification
  '53': 'unavailable', // insufficient_resources
  '57': 'session', // operator_intervention: it shuts down, starts up, or crashed
  '58': 'unavailable', // system_error
  XX000: 'transient', // internal_error: Citus reports a lost worker so, PostgreSQL catalogs that change
  XX001: 'damaged', // data_corrupted
  XX002: 'damaged', // index_corrupted
};

function meaningOf(code: string): Meaning | undefined {
  return sqlStates[code] ?? sqlStates[code.slice(0, 2)];
}

/** What a Citus coordinator says of an error that a worker reported. */
const fromWorker = /while executing command on /;

const poolerAdvice =
  ' A pooler in front of it must keep a session together, or know prepared statements.';

/** What to say beside the database's own words, by SQLSTATE. */
const advice: Readonly<Record<string, string>> = {'26000': poolerAdvice, '42P05': poolerAdvice};

/** Sorts an error of the driver; `server` is where it comes from, in words. */
export function toFailure(cause: unknown, server: string): Failure {
  if (cause instanceof StoreError) {
    // Thrown while connecting.
    return {kind: cause.kind === 'unavailable' ? 'connection' : 'final', error: cause};
  }
  if (!(cause instanceof pg.DatabaseError)) return toNetworkFailure(cause, server);
  const {code = '', message} = cause;
  const meaning = meaningOf(code);
  if (meaning === undefined) return {kind: 'final', error: cause};
  const words = `The database at ${server} says: ${message} (SQLSTATE ${code}).${advice[code] ?? ''}`;
  const say = (as: StoreErrorKind): StoreError => new StoreError(as, words, {cause});
  if (meaning === 'session' || meaning === 'connection') {
    const isElsewhere =
      fromWorker.test(cause.where ?? '') || (meaning === 'session' && cause.severity === 'ERROR');
    return {kind: isElsewhere ? 'transient' : 'connection', error: say('unavailable')};
  }
  if (meaning === 'transient') return {kind: 'transient', error: say('unavailable')};
  return {kind: 'final', error: say(meaning)};
}

/** Whatever does not come from the server comes from the way to it. */
function toNetworkFailure(cause: unknown, server: string): Failure {
  const {code}: {code?: unknown} = Object(cause);
  const reason = reasonOf(cause);
  if (typeof code === 'string' && distrust.test(code)) {
    const words = `The certificate of the database at ${server} is not trusted: ${reason}.`;
    return {kind: 'final', error: new StoreError('misconfigured', words, {cause})};
  }
  if (reason.startsWith('SASL: ')) {
    const words = missingPassword.test(reason)
      ? `The database at ${server} asks for a password, and none was given.`
      : `The login at the database at ${server} fails: ${reason}.`;
    return {kind: 'final', error: new StoreError('misconfigured', words, {cause})};
  }
  const words = `The database at ${server} cannot be reached: ${reason}.`;
  return {kind: 'connection', error: new StoreError('unavailable', words, {cause})};
}

/** What Node calls a certificate that it does not trust (Node.js documentation, TLS, X509 certificate error codes). */
const distrust = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|ERR_TLS_CERT_)/;

/** What the driver says when it has no password; other words of its SASL are about what the server says. */
const missingPassword = /client password must be/;

/** An error's message; one for several addresses of one name has an empty one itself. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return errorMessage(error);
}
