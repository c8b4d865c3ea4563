import {open, rm, writeFile} from 'node:fs/promises';
import type {CreatedKey} from '../server/keys.js';
import {AppError} from '../errors.js';
import {say} from './streams.js';

const ownerOnly = 0o600;

/**
 * Finds out that the first key can be written before it is made: it cannot be had a second time.
 *
 * @throws AppError `usage` when the file is there already or cannot be written
 */
export async function checkKeyFile(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    await (await open(path, 'wx', ownerOnly)).close();
    await rm(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('usage', `Cannot write the first API key: ${reason}`, {
      hint: 'Name a new file in a folder that you may write, with --bootstrap-key-file PATH.',
      cause: error,
    });
  }
}

/** Shows the first API key of an empty store once, or writes it to a file that only its owner reads. */
export async function announceBootstrap(
  {record, secret}: CreatedKey,
  path: string | undefined,
): Promise<void> {
  const made = `The store was empty: made organization "${record.organization}" and its first API key.`;
  if (path !== undefined) {
    await writeFile(path, `${secret}\n`, {flag: 'wx', mode: ownerOnly});
    say(`${made} The key is in ${path}.`);
    return;
  }
  say(`${made} It is shown this once:\n`);
}
