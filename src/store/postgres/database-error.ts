import pg from 'pg';
import {extraCertificates} from '../../system/extra-certificates.js';
import {errorMessage} from '../../system/system-error.js';
import {StoreError, type StoreErrorKind} from '../store.js';

/** An error that a retry on another connection may avoid. The failed attempt may have taken effect. */
export class TransientError extends StoreError {
  constructor(message: string, cause?: unknown) {
    super('unavailable', message, {cause});
  }
}

/** Meanings by SQLSTATE, or else by its class, the first two characters (PostgreSQL documentation, appendix A). */
const sqlStates: Readonly<Record<string, StoreErrorKind | 'transient'>> = {
  '01': 'transient', // a warning at COMMIT: a standby, or a node of Citus, may lack the change
  '08': 'transient', // connection_exception
  '0A000': 'transient', // feature_not_supported: "cached plan must not change result type"
  '25006': 'transient', // read_only_sql_transaction: the server is no longer the primary
  '25P03': 'transient', // idle_in_transaction_session_timeout
  '25P04': 'transient', // transaction_timeout
  '26000': 'misconfigured', // invalid_sql_statement_name
  '28': 'misconfigured', // invalid_authorization_specification
  '3D000': 'misconfigured', // invalid_catalog_name
  '3F000': 'misconfigured', // invalid_schema_name
  '40': 'transient', // transaction_rollback: serialization failure, deadlock
  '42': 'format', // tables, columns or keys are not those of the store, for instance during a restore
  '42501': 'misconfigured', // insufficient_privilege
  '42P05': 'misconfigured', // duplicate_prepared_statement
  '53': 'unavailable', // insufficient_resources
  '53100': 'full', // disk_full
  '53300': 'transient', // too_many_connections
  '55': 'unavailable', // object_not_in_prerequisite_state
  '55P03': 'transient', // lock_not_available
  '57': 'transient', // operator_intervention: the server ended the session
  '57014': 'unavailable', // query_canceled: the statement exceeded its time limit
  '58': 'unavailable', // system_error
  XX000: 'transient', // internal_error: lost worker (Citus), concurrent catalog changes (PostgreSQL)
  XX001: 'damaged', // data_corrupted
  XX002: 'damaged', // index_corrupted
};

/** PgBouncer 1.18 refuses `options` with SQLSTATE 08P01, which it also sends when its server is unreachable. */
const refusedParameter = /^unsupported startup parameter/;

const poolerAdvice = ' A pooler in front of it must pool sessions.';

/** Advice to add to the database's own message, by SQLSTATE. */
const advice: Readonly<Record<string, string>> = {'26000': poolerAdvice, '42P05': poolerAdvice};

/**
 * Explains an error of the driver. Returns it unchanged if its SQLSTATE is not in the table and it is not fatal.
 *
 * @param name the location of the database, for messages
 */
export function explainDatabaseError(cause: unknown, name: string): unknown {
  if (cause instanceof StoreError) return cause;
  if (!(cause instanceof pg.DatabaseError)) return explainNetworkError(cause, name);
  const {code = '', message, severity} = cause;
  const meaning = refusedParameter.test(message)
    ? 'misconfigured'
    : (sqlStates[code] ?? sqlStates[code.slice(0, 2)]);
  const text = `Error from the database at ${name}: ${message} (SQLSTATE ${code}).${advice[code] ?? ''}`;
  if (meaning === 'transient') return new TransientError(text, cause);
  if (meaning !== undefined) return new StoreError(meaning, text, {cause});
  // PostgreSQL refused the session.
  return severity === 'FATAL' ? new StoreError('unavailable', text, {cause}) : cause;
}

/** Whether the server itself reported an error, so that it no longer works on the statement. */
export function isResponse(error: unknown): boolean {
  return error instanceof StoreError && error.cause instanceof pg.DatabaseError;
}

/** Node's error codes for untrusted certificates (Node.js documentation, TLS, X509 certificate error codes). */
const certificateErrors = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|ERR_TLS_CERT_)/;

/** Problems of login and TLS, recognized by the driver's messages because it has no codes for them. */
const loginErrors: readonly (readonly [message: RegExp, describe: (reason: string) => string])[] = [
  [/client password must be/, () => 'requires a password. Set PGPASSWORD, or put it into the URL.'],
  [/^SASL: /, (reason) => `refused the login: ${reason}.`],
  [
    /server does not support SSL/,
    () => 'offers no TLS, but sslmode requires it, by default for every host but this machine.',
  ],
];

/** Explains an error of the certificate, the login or the network, which the server did not send. */
function explainNetworkError(cause: unknown, name: string): StoreError {
  const {code}: {code?: unknown} = Object(cause);
  const reason = reasonOf(cause);
  if (typeof code === 'string' && certificateErrors.test(code)) {
    const {fault} = extraCertificates();
    const message = `The certificate of the database at ${name} is not trusted: ${reason}.${fault ? ` ${fault}` : ''}`;
    return new StoreError('misconfigured', message, {cause});
  }
  const [, describe] = loginErrors.find(([message]) => message.test(reason)) ?? [];
  if (describe !== undefined) {
    const message = `The database at ${name} ${describe(reason)}`;
    return new StoreError('misconfigured', message, {cause});
  }
  return new TransientError(`The database at ${name} cannot be reached: ${reason}.`, cause);
}

/** The message of an error. For a host with several addresses, only the inner errors have messages. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return errorMessage(error);
}
