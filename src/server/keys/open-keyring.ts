import {setTimeout as delay} from 'node:timers/promises';
import {type Store, StoreError, type StoreLog, type StoreOptions} from '../../store/store.js';
import {connectControl} from './control/client.js';
import {storeKeyring} from './keyring.js';
import {explainStoreError} from './store-errors.js';
import type {Keyring} from './types.js';

/** Opens the store at a location: a directory, or the URL of a database. Rejects with `StoreError`. */
export type OpenStore = (location: string, options: StoreOptions) => Promise<Store>;

/** What opening a keyring takes beside the location. */
export interface KeyringOptions {
  readonly openStore: OpenStore;
  readonly log: StoreLog;
  /** Whether to make the store when there is none. */
  readonly create: boolean;
  /** Called once when a directory is held by a process that does not take calls yet; with the reason. */
  readonly onWait?: ((reason: string) => void) | undefined;
  /** Milliseconds to wait for such a process, or for a database. Default 10,000. */
  readonly patience?: number | undefined;
}

const defaultPatience = 10_000;
const retryMilliseconds = 100;

/**
 * The API keys of the store at a location, whether it lies still or a running service holds it: then
 * the service is asked, and what is changed counts at once.
 *
 * @throws AppError when neither can be had
 */
export async function openKeyring(location: string, options: KeyringOptions): Promise<Keyring> {
  const waitUntil = AbortSignal.timeout(options.patience ?? defaultPatience);
  let waited = false;
  for (;;) {
    const opened = await tryOpen(location, options, waitUntil);
    if (!(opened instanceof StoreError)) return opened;
    if (waitUntil.aborted) throw explainStoreError(opened);
    if (!waited) options.onWait?.(opened.message);
    waited = true;
    await delay(retryMilliseconds);
  }
}

/** The keyring, or why the store is locked while nobody answers for it. */
async function tryOpen(
  location: string,
  {log, openStore, create}: KeyringOptions,
  waitUntil: AbortSignal,
): Promise<Keyring | StoreError> {
  try {
    const store = await openStore(location, {log, now: Date.now, create, waitUntil});
    return storeKeyring(store, log);
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'locked') throw explainStoreError(error);
    return (await connectControl(location)) ?? error;
  }
}
