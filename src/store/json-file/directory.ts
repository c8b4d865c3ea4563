import path from 'node:path';
import process from 'node:process';
import {makeDirectory as makeMissing, syncDirectory} from '../../system/durable-file.js';
import type {Files} from '../../system/files.js';
import {errorCode} from '../../system/system-error.js';
import {StoreError, type StoreLog} from '../store.js';
import {modes} from './files.js';
import {inDirectory, isLeftover, names} from './layout.js';

const writableByOthers = 0o022;
const accessOfOthers = 0o077;

/**
 * Creates the directory of a store unless it exists.
 *
 * @throws StoreError when its path is something else
 */
export async function makeDirectory(files: Files, directory: string): Promise<void> {
  try {
    for (const made of await makeMissing(directory, files))
      await syncDirectory(files, path.dirname(made));
    if ((await files.stat(directory)).isDirectory()) return;
  } catch (error) {
    const found = await files.lstat(directory).catch(() => undefined);
    if (errorCode(error) === 'ENOENT' && found?.isSymbolicLink()) {
      throw new StoreError(
        'unavailable',
        `${directory} is a symbolic link to a directory that does not exist.`,
      );
    }
    if (errorCode(error) !== 'ENOTDIR') throw error;
    throw new StoreError('format', `${directory} is below a file.`);
  }
  throw new StoreError('format', `${directory} is a file; a JSON file store is a directory.`);
}

/**
 * Checks that there is a store, without creating anything.
 *
 * @throws StoreError of kind `missing`
 */
export async function checkExists(files: Files, directory: string): Promise<void> {
  if (!(await hasStore(files, directory))) {
    throw new StoreError('missing', `There is no store at ${directory}.`);
  }
}

/** Whether there is a store in a directory. */
export async function hasStore(files: Files, directory: string): Promise<boolean> {
  try {
    await files.lstat(inDirectory(directory, names.store));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/**
 * Checks that a store can be created in a directory: it is empty, or has the leftovers of an earlier attempt.
 *
 * @throws StoreError of kind `format` when it holds other files
 */
export async function checkVacant(files: Files, directory: string): Promise<void> {
  const foreign = (await files.readdir(directory)).find((name) => !isLeftover(name));
  // Another process may have created the store in the meantime.
  if (foreign === undefined || (await hasStore(files, directory))) return;
  throw new StoreError(
    'format',
    `${directory} holds other files (${inDirectory(directory, foreign)}) but no store; use an empty or a new directory.`,
  );
}

/**
 * Refuses a directory that another user owns or can write: that user could plant files and redirect writes. Removes
 * the read access of other users, which covers all files in it. Windows has neither owners nor modes to check.
 *
 * @throws StoreError of kind `forbidden` or `exposed`
 */
export async function checkAccess(files: Files, directory: string, log: StoreLog): Promise<void> {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const {uid, mode} = await files.stat(directory);
  if (uid !== user) {
    throw new StoreError(
      'forbidden',
      `${directory} belongs to user id ${uid}, but this process runs as user id ${user}; only the owner may use a store. Run the command as that user (sudo -u '#${uid}'), or change the owner: chown -R ${user} ${directory}`,
    );
  }
  if ((mode & accessOfOthers) === 0) return;
  // An empty directory, from `mkdir` or a new volume, holds nothing that was planted.
  if ((mode & writableByOthers) !== 0) await requireEmpty(files, directory, mode);
  await files.chmod(directory, modes.directory);
  if ((mode & writableByOthers) !== 0) {
    const {mode: left} = await files.stat(directory);
    if ((left & writableByOthers) !== 0) throw exposed(directory, left, []);
    await requireEmpty(files, directory, left);
  }
  log.warn(
    {path: directory, mode: modes.directory.toString(8)},
    'removed the access of other users to the store',
  );
}

async function requireEmpty(files: Files, directory: string, mode: number): Promise<void> {
  const listing = await files.readdir(directory);
  if (listing.length > 0) throw exposed(directory, mode, listing);
}

function exposed(directory: string, mode: number, listing: readonly string[]): StoreError {
  const octal = (mode & 0o7777).toString(8).padStart(4, '0');
  const otherwise = listing.includes(names.store) ? '' : ', or name a new directory';
  return new StoreError(
    'exposed',
    `Other users can write ${directory} (mode ${octal}) and may have changed the store. Check its files, then run: chmod go-w ${directory}${otherwise}.`,
  );
}
