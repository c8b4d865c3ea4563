import {hostname} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type {Clock} from '../../system/clock.js';
import {makeDirectory as makeMissing, syncDirectory} from '../../system/durable-file.js';
import type {Files} from '../../system/files.js';
import type {LockOwner} from '../../system/lock-owner.js';
import {LockLostError, ProcessLock} from '../../system/process-lock.js';
import {errorCode} from '../../system/system-error.js';
import {StoreError, type StoreLog} from '../store.js';
import {fileError, inDirectory, modes, names} from './files.js';

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

/** What a crash before the store was there may leave; a lock has further endings while it is taken over. */
const leftover = /^(store(\.lock)+|store\.jsonl\.tmp|control\.sock)$/;

/**
 * Checks that a store can be created in a directory: it is empty, or has the leftovers of an earlier attempt.
 *
 * @throws StoreError of kind `format` when it holds other files
 */
export async function checkVacant(files: Files, directory: string): Promise<void> {
  const foreign = (await files.readdir(directory)).find((name) => !leftover.test(name));
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
  const listing = await files.readdir(directory);
  const wasExposed = (mode & writableByOthers) !== 0;
  if (wasExposed && listing.length > 0) throw exposed(directory, mode, listing);
  await files.chmod(directory, modes.directory);
  const {mode: left} = await files.stat(directory);
  const planted = wasExposed ? await files.readdir(directory) : [];
  if ((left & writableByOthers) !== 0 || planted.length > 0)
    throw exposed(directory, left, planted);
  log.warn(
    {path: directory, mode: modes.directory.toString(8)},
    'removed the access of other users to the store',
  );
}

function exposed(directory: string, mode: number, listing: readonly string[]): StoreError {
  const octal = (mode & 0o7777).toString(8).padStart(4, '0');
  const otherwise = listing.includes(names.store) ? '' : ', or name a new directory';
  return new StoreError(
    'exposed',
    `Other users can write ${directory} (mode ${octal}) and may have changed the store. Check its files, then run: chmod go-w ${directory}${otherwise}.`,
  );
}

/**
 * Takes the lock of a store: one process at a time uses it.
 *
 * @throws StoreError of kind `locked`, with the owner's pid; or the error of a file call
 */
export function lockDirectory(files: Files, directory: string, clock: Clock): Promise<ProcessLock> {
  const wait = ({pid, host}: LockOwner) => {
    const owner = host === hostname() ? pid : `${pid} on ${host}`;
    throw new StoreError(
      'locked',
      `${directory} is in use by process ${owner}; only one process at a time can use a store.`,
    );
  };
  const target = inDirectory(directory, names.lock);
  return ProcessLock.acquire(target, {label: 'using the store', wait, clock, files});
}

/**
 * Checks that the lock file is still in place. It is not after the directory was moved, removed or replaced, perhaps
 * by a backup: writes would then go to files that are never read again, and new or removed files would be in a
 * directory that is not this store's.
 *
 * @throws StoreError of kind `unavailable` when the lock is lost, for good; or the error of the check
 */
export async function verifyLock(lock: ProcessLock, directory: string): Promise<void> {
  try {
    await lock.verifyHeld();
  } catch (error) {
    if (!(error instanceof LockLostError)) {
      throw fileError(`the lock of ${directory} cannot be checked`, error);
    }
    throw new StoreError(
      'unavailable',
      `${directory} was moved, removed or replaced while the store was in use, or another process took it over while this one was stopped. The store refuses further writes: check the directory, then restart.`,
      {cause: error},
    );
  }
}
