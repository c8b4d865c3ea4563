import type {Keyring} from '../server/keys.js';
import {statusLineHere} from './status-line.js';
import {say, talkStream} from './streams.js';

/** Which store's API keys to lend. */
export interface KeyringChoice {
  /** A folder or a URL. */
  readonly location: string;
  /** Whether to make the store when there is none: a mistyped location must not leave one behind. */
  readonly create: boolean;
}

/** Lends the API keys of a store, also while a running service holds it, and lets go of it after. */
export async function withKeyring<T>(
  {location, create}: KeyringChoice,
  use: (keyring: Keyring) => Promise<T>,
): Promise<T> {
  const [{openKeyring}, {createLogger}, {openStore}] = await Promise.all([
    import('../server/keyring.js'),
    import('../server/logger.js'),
    import('../store/open.js'),
  ]);
  const end = statusLineHere()?.begin(() => 'Waiting for the store …');
  try {
    const keyring = await openKeyring(location, {
      openStore,
      create,
      log: createLogger('warn', process.stderr.isTTY === true, talkStream()),
      onWait: (reason) => say(`Waiting: ${reason}`),
    });
    return await use(keyring).finally(() => keyring.close());
  } finally {
    end?.();
  }
}
