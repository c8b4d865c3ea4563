import {setTimeout as delay} from 'node:timers/promises';
import {type Store, StoreError, type StoreLog, type StoreOptions} from '../../store/store.js';
import {storeAdmin} from './admin.js';
import {connectControl} from './control/client.js';
import {explainStoreError} from './store-errors.js';
import type {StoreAdmin} from './types.js';

/** Opens the store at a location: a directory, or the URL of a database. Rejects with `StoreError`. */
export type OpenStore = (location: string, options: StoreOptions) => Promise<Store>;

/** Options for opening a store for its operator. */
export interface AdminOptions {
  readonly openStore: OpenStore;
  readonly log: StoreLog;
  /** Called once, with the reason, when another process holds the directory but accepts no calls yet. */
  readonly onWait?: ((reason: string) => void) | undefined;
  /** Milliseconds to wait for such a process, or for a database. Default 10,000. */
  readonly patience?: number | undefined;
}

const defaultPatience = 10_000;
const retryMilliseconds = 100;

/**
 * Opens the store at a location for its operator. If a running service holds the store, calls go to that service, so
 * changes take effect at once. A missing store is not created: the keys of a mistyped location would be refused by the
 * service of the intended one.
 *
 * @throws AppError when neither the store nor the service is available
 */
export async function openStoreAdmin(location: string, options: AdminOptions): Promise<StoreAdmin> {
  const waitUntil = AbortSignal.timeout(options.patience ?? defaultPatience);
  let hasWaited = false;
  for (;;) {
    const opened = await tryOpen(location, options, waitUntil);
    if (!(opened instanceof StoreError)) return opened;
    if (waitUntil.aborted) throw explainStoreError(opened);
    if (!hasWaited) options.onWait?.(opened.message);
    hasWaited = true;
    await delay(retryMilliseconds);
  }
}

/** The open store, or the error when the store is locked and no service listens for calls. */
async function tryOpen(
  location: string,
  {log, openStore}: AdminOptions,
  waitUntil: AbortSignal,
): Promise<StoreAdmin | StoreError> {
  try {
    const store = await openStore(location, {log, now: Date.now, create: false, waitUntil});
    return storeAdmin(store, log);
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'locked') throw explainStoreError(error);
    return (await connectControl(location)) ?? error;
  }
}
