import {setTimeout as delay} from 'node:timers/promises';
import {type Store, StoreError, type StoreLog, type StoreOptions} from '../../store/store.js';
import {type StoreAdmin, storeAdmin} from '../admin/admin.js';
import {explainStoreError} from '../admin/store-errors.js';
import {connectControl} from './socket.js';

/** Opens the store at a location: a directory, or the URL of a database. Rejects with `StoreError`. */
export type OpenStore = (location: string, options: StoreOptions) => Promise<Store>;

/** Options for opening a store for its operator. */
export interface AdminOptions {
  readonly openStore: OpenStore;
  readonly log: StoreLog;
  /** Called once, with the reason, when another process holds the directory but does not accept calls. */
  readonly onWait?: ((reason: string) => void) | undefined;
  /** Milliseconds to wait for a process that holds the directory, or for a database. Default 10,000. */
  readonly lockTimeout?: number | undefined;
}

const defaultLockTimeout = 10_000;
const retryMilliseconds = 100;

/**
 * Uses the store at a location as its operator. If a running service holds the store, calls go to that service, so
 * changes take effect at once. Does not create a missing store: if the location was mistyped, the intended store's
 * service would refuse the new keys.
 *
 * @throws AppError when neither the store nor the service is available
 */
export async function useStoreAdmin<T>(
  location: string,
  {openStore, log, onWait, lockTimeout = defaultLockTimeout}: AdminOptions,
  use: (admin: StoreAdmin) => Promise<T>,
): Promise<T> {
  const waitUntil = AbortSignal.timeout(lockTimeout);
  for (let hasWaited = false; ; hasWaited = true) {
    const store = await openStore(location, {log, now: Date.now, create: false, waitUntil}).catch(
      (error: unknown) => {
        if (error instanceof StoreError && error.kind === 'locked') return error;
        throw explainStoreError(error);
      },
    );
    if (!(store instanceof StoreError)) {
      return await use(storeAdmin(store, log))
        .finally(() => store.close())
        .catch((error: unknown) => Promise.reject(explainStoreError(error)));
    }
    const service = await connectControl(location);
    if (service !== undefined) return await use(service);
    if (waitUntil.aborted) throw explainStoreError(store);
    if (!hasWaited) onWait?.(store.message);
    await delay(retryMilliseconds);
  }
}
