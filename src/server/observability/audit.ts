import type {StoreLog} from '../../store/store.js';

/** Events that an operator may have to account for later. */
type AuditEvent =
  | 'token_created'
  | 'activation_accepted'
  | 'activation_refused'
  | 'key_created'
  | 'key_revoked'
  | 'connector_key_revoked';

/** Logs an event: who, what and from where, without secrets. */
export function audit(log: StoreLog, event: AuditEvent, fields: object): void {
  log.info({audit: event, ...fields}, 'audit');
}
