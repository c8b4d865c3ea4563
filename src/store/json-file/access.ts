import type {Stats} from 'node:fs';
import process from 'node:process';
import {errorCode} from '../../system/error-codes.js';
import type {Files} from '../../system/files.js';
import {StoreError, type StoreLog} from '../store.js';
import {modes} from './files.js';
import {inDirectory, isData, isLock, names} from './format/layout.js';

const writableByOthers = 0o022;

/**
 * Refuses a store that another user owns or can write: that user could plant files and redirect
 * writes. Read access of other users is removed later, by `tightenModes`. Windows has neither owners
 * nor modes to check.
 *
 * @throws StoreError of kind `forbidden` or `exposed`
 */
export async function checkAccess(files: Files, directory: string, log: StoreLog): Promise<void> {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const found = await files.stat(directory);
  checkOwner(directory, found, user);
  if ((found.mode & writableByOthers) !== 0) await closeIfEmpty(files, directory, log);
  for (const name of await files.readdir(directory)) {
    if (isData(name) || isLock(name)) await checkFile(files, inDirectory(directory, name), user);
  }
}

function checkOwner(path: string, {uid}: Stats, user: number): void {
  if (uid === user) return;
  throw new StoreError(
    'forbidden',
    `${path} belongs to user id ${uid}, but this process runs as user id ${user}; only the owner may use a store. Run the command as that user (sudo -u '#${uid}'), or change the owner: chown -R ${user} ${path}`,
  );
}

/** An empty directory, from `mkdir` or a new volume, holds nothing that was planted. */
async function closeIfEmpty(files: Files, directory: string, log: StoreLog): Promise<void> {
  let listing = await files.readdir(directory);
  if (listing.length === 0) {
    await files.chmod(directory, modes.directory);
    listing = await files.readdir(directory);
  }
  const {mode} = await files.stat(directory);
  if (listing.length > 0 || (mode & writableByOthers) !== 0) {
    const isStore = listing.includes(names.store);
    throw exposed(directory, mode, isStore ? '' : ', or name a new directory');
  }
  log.warn(
    {path: directory, mode: modes.directory.toString(8)},
    'removed the access of other users to the store',
  );
}

async function checkFile(files: Files, path: string, user: number): Promise<void> {
  let found: Stats;
  try {
    found = await files.lstat(path);
  } catch (error) {
    // A running service removes files when it compacts and when it releases its lock.
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  checkOwner(path, found, user);
  if (found.isSymbolicLink()) {
    throw new StoreError(
      'exposed',
      `${path} is a symbolic link, which a store does not follow. Replace it with the file itself.`,
    );
  }
  if (!found.isSocket() && (found.mode & writableByOthers) !== 0) {
    throw exposed(path, found.mode, '');
  }
}

function exposed(path: string, mode: number, otherwise: string): StoreError {
  const octal = (mode & 0o7777).toString(8).padStart(4, '0');
  return new StoreError(
    'exposed',
    `Other users can write ${path} (mode ${octal}) and may have changed the store. Check its files, then run: chmod go-w ${path}${otherwise}.`,
  );
}
