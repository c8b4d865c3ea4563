import pg from 'pg';
import {errorMessage} from '../../../system/error-codes.js';
import {StoreError, type StoreErrorKind} from '../../store.js';

/**
 * The cause of a failed statement, and what to do about it:
 * `connection`: the server is gone, or accepts no writes any more. Discard the pool and connect again,
 * perhaps to another server.
 * `transient`: the server is available, and the same statement may soon work on the same pool.
 * `final`: a retry would fail in the same way.
 * After the first two it is unknown whether the statement took effect. All our statements are repeatable.
 */
export type StatementError =
  | {readonly kind: 'connection' | 'transient'; readonly error: StoreError}
  | {readonly kind: 'final'; readonly error: unknown};

/** What a SQLSTATE in the response to a statement means for the pool. */
type Meaning = 'connection' | 'transient' | StoreErrorKind;

/** By SQLSTATE, or else by its class, the first two characters (PostgreSQL documentation, appendix A). */
export const sqlStates: Readonly<Record<string, Meaning>> = {
  '25006': 'connection', // read_only_sql_transaction: the server is no longer the primary
  '25P03': 'transient', // idle_in_transaction_session_timeout
  '25P04': 'transient', // transaction_timeout
  '26000': 'misconfigured', // invalid_sql_statement_name
  '40001': 'transient', // serialization_failure
  '40003': 'transient', // statement_completion_unknown
  '40P01': 'transient', // deadlock_detected
  '55P03': 'transient', // lock_not_available
  '53100': 'full', // disk_full
  '53300': 'transient', // too_many_connections
  '57014': 'unavailable', // query_canceled: the statement exceeded its time limit
  '42P05': 'misconfigured', // duplicate_prepared_statement
  '42P07': 'format', // duplicate_table
  '42P01': 'format', // undefined_table
  '42703': 'format', // undefined_column
  '42501': 'misconfigured', // insufficient_privilege
  '3D000': 'misconfigured', // invalid_catalog_name
  '3F000': 'misconfigured', // invalid_schema_name
  '08': 'transient', // connection_exception: this session, or that of a Citus coordinator to a worker
  '28': 'misconfigured', // invalid_authorization_specification
  '53': 'unavailable', // insufficient_resources
  '55': 'unavailable', // object_not_in_prerequisite_state
  '57': 'transient', // operator_intervention: the session was ended; the next one shows if the server was too
  '58': 'unavailable', // system_error
  XX000: 'transient', // internal_error: lost worker (Citus), concurrent catalog changes (PostgreSQL)
  XX001: 'damaged', // data_corrupted
  XX002: 'damaged', // index_corrupted
};

function meaningOf(code: string): Meaning | undefined {
  return sqlStates[code] ?? sqlStates[code.slice(0, 2)];
}

/** The context that a Citus coordinator adds to an error from a worker. */
const fromWorker = /while executing command on /;

const poolerAdvice = ' A pooler in front of it must pool sessions, or support prepared statements.';

/** Advice to add to the database's own message, by SQLSTATE. */
const advice: Readonly<Record<string, string>> = {'26000': poolerAdvice, '42P05': poolerAdvice};

/** Classifies an error from the driver. @param server the server's address, for messages */
export function toStatementError(cause: unknown, server: string): StatementError {
  if (cause instanceof StoreError) {
    // Thrown while connecting.
    return {kind: cause.kind === 'unavailable' ? 'connection' : 'final', error: cause};
  }
  if (!(cause instanceof pg.DatabaseError)) return toNetworkError(cause, server);
  const {code = '', message} = cause;
  const meaning = meaningOf(code);
  if (meaning === undefined) return {kind: 'final', error: cause};
  const text = `Error from the database at ${server}: ${message} (SQLSTATE ${code}).${advice[code] ?? ''}`;
  const storeError = (as: StoreErrorKind): StoreError => new StoreError(as, text, {cause});
  if (meaning === 'connection' || meaning === 'transient') {
    const kind = fromWorker.test(cause.where ?? '') ? 'transient' : meaning;
    return {kind, error: storeError('unavailable')};
  }
  return {kind: 'final', error: storeError(meaning)};
}

const tooManyConnections = '53300';
const cannotConnectNow = '57P03';

/**
 * Classifies an error of opening a connection. What the server itself answers is at least `unavailable`, and
 * costs no connection that is good.
 *
 * @param isOneMore whether the pool has other connections to this server
 */
export function toOpeningError(cause: unknown, server: string, isOneMore: boolean): StatementError {
  const failure = toStatementError(cause, server);
  if (!(cause instanceof pg.DatabaseError)) return failure;
  const {code, message} = cause;
  const error =
    failure.error instanceof StoreError
      ? failure.error
      : new StoreError(
          'unavailable',
          `Error from the database at ${server}: ${message} (SQLSTATE ${code}).`,
          {cause},
        );
  if (code === cannotConnectNow) return {kind: 'connection', error};
  if (isOneMore || code === tooManyConnections) return {kind: 'transient', error};
  return {kind: error.kind === 'unavailable' ? 'connection' : 'final', error};
}

/** An error that does not come from the server comes from the network. */
function toNetworkError(cause: unknown, server: string): StatementError {
  const {code}: {code?: unknown} = Object(cause);
  const reason = reasonOf(cause);
  if (typeof code === 'string' && certificateErrors.test(code)) {
    const message = `The certificate of the database at ${server} is not trusted: ${reason}.`;
    return {kind: 'final', error: new StoreError('misconfigured', message, {cause})};
  }
  if (reason.startsWith('SASL: ')) {
    const message = missingPassword.test(reason)
      ? `The database at ${server} requires a password. Set PGPASSWORD, or put it into the URL.`
      : `The login to the database at ${server} failed: ${reason}.`;
    return {kind: 'final', error: new StoreError('misconfigured', message, {cause})};
  }
  const message = `The database at ${server} cannot be reached: ${reason}.`;
  return {kind: 'connection', error: new StoreError('unavailable', message, {cause})};
}

/** Node's error codes for untrusted certificates (Node.js documentation, TLS, X509 certificate error codes). */
const certificateErrors = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|ERR_TLS_CERT_)/;

/** Message of the driver for a missing password; its other SASL messages concern the response of the server. */
const missingPassword = /client password must be/;

/** The message of an error. For a name with several addresses only the inner errors have one. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return errorMessage(error);
}
