import type {StoreLog} from '../../store/store.js';

/** What an operator may have to account for later. */
export type AuditEvent =
  | 'token_created'
  | 'activation_accepted'
  | 'activation_refused'
  | 'key_created'
  | 'key_revoked'
  | 'connector_key_revoked';

/** Keeps a record of an event in the log: who, what and from where; never a secret. */
export function audit(log: StoreLog, event: AuditEvent, fields: object): void {
  log.info({audit: event, ...fields}, 'audit');
}
