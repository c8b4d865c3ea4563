import type {StoreLog} from '../../store/store.js';

/** Events that an operator may have to account for later. */
type AuditEvent =
  | 'token_created'
  | 'activation_accepted'
  | 'activation_refused'
  | 'key_created'
  | 'key_revoked'
  | 'connector_key_revoked'
  | 'connector_reissued'
  | 'connector_removed';

/** A log that may have a level for audit records; see `createLogger`. */
export type AuditLog = StoreLog & {
  audit?(details: object, message: string): void;
  /** Whether the log has room for one more audit record; a log without this method always has. */
  hasRoom?(): boolean;
};

/** Whether the log has room for an audit record. Otherwise callers refuse the change: each needs its record. */
export function canAudit(log: AuditLog): boolean {
  return log.hasRoom?.() ?? true;
}

/** Logs an event. The fields must hold no secret. */
export function audit(log: AuditLog, event: AuditEvent, fields: object): void {
  const details = {audit: event, ...fields};
  if (log.audit === undefined) log.info(details, 'audit');
  else log.audit(details, 'audit');
}
