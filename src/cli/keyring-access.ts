import type {Keyring} from '../server/keys.js';
import {defaultStore} from './store-location.js';
import {say} from './streams.js';

/**
 * Lends the API keys of a store, also while a running service holds it, and lets go of it after.
 *
 * @param location a folder or a URL; the default folder where undefined
 */
export async function withKeyring<T>(
  location: string | undefined,
  dataDir: string,
  use: (keyring: Keyring) => Promise<T>,
): Promise<T> {
  const [{openKeyring}, {createLogger}, {openStore}] = await Promise.all([
    import('../server/keyring.js'),
    import('../server/logger.js'),
    import('../store/open.js'),
  ]);
  const keyring = await openKeyring(location ?? defaultStore(dataDir), {
    openStore,
    log: createLogger('warn', process.stderr.isTTY === true),
    onWait: (reason) => say(`Waiting: ${reason}`),
  });
  try {
    return await use(keyring);
  } finally {
    await keyring.close();
  }
}
