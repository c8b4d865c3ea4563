import type {Store} from '../../store/store.js';
import type {AuditLog} from '../observability/audit.js';
import {storeKeyring} from './keyring.js';
import {type LifecycleOptions, storeLifecycle} from './lifecycle.js';
import type {StoreAdmin} from './types.js';

/** An open store for its operator. Changes are logged for audit; `close` closes the store. */
export function storeAdmin(store: Store, log: AuditLog, options?: LifecycleOptions): StoreAdmin {
  return {
    ...storeKeyring(store, log, options?.runtime),
    ...storeLifecycle(store, log, options),
  };
}
