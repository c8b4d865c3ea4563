import {readdir} from 'node:fs/promises';
import {AppError} from '../errors.js';
import type {Keyring} from '../server/keys.js';
import {say} from './streams.js';

/** Lends the API keys of a store, also while a running service holds it, and lets go of it after. */
export async function withKeyring<T>(
  location: string,
  use: (keyring: Keyring) => Promise<T>,
): Promise<T> {
  const [{openKeyring}, {createLogger}, {openStore}] = await Promise.all([
    import('../server/keyring.js'),
    import('../server/logger.js'),
    import('../store/open.js'),
  ]);
  const keyring = await openKeyring(location, {
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

/**
 * The same for a store that is there already: opening would make one, and a path with a typing
 * error would be told to have no keys.
 *
 * @throws AppError `usage` when there is none
 */
export async function withExistingKeyring<T>(
  location: string,
  use: (keyring: Keyring) => Promise<T>,
): Promise<T> {
  if (await isNothing(location)) {
    throw new AppError('usage', `There is no store at ${location}.`, {
      hint: 'Name it with --store PATH, or make one with: connectorctl serve',
    });
  }
  return withKeyring(location, use);
}

/** Whether a folder is missing or empty. Anything else, and any URL, is for the store to judge. */
async function isNothing(location: string): Promise<boolean> {
  if (location.includes('://')) return false;
  try {
    return (await readdir(location)).length === 0;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
