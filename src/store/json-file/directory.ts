import {hostname} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {shellWord} from '../../domain/shell-word.js';
import type {Clock} from '../../system/clock.js';
import {type Files, makeDirectory, syncDirectory} from '../../system/durable-file.js';
import {type LockOwner, ProcessLock} from '../../system/process-lock.js';
import {errorCode, errorMessage, hasCode} from '../../system/system-error.js';
import {StoreError, type StoreErrorKind, type StoreLog} from '../store.js';

/** The names of the files in a store's directory. */
export const names = {
  /** All records. */
  store: 'store.jsonl',
  /** The store while it is rewritten. */
  draft: 'store.jsonl.tmp',
  /** Name of the lock file without `.lock`. */
  lock: 'store',
  /** The control socket of a running service; see `server/control/socket`. */
  control: 'control.sock',
} as const;

const kinds: Readonly<Record<string, StoreErrorKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  ENOTDIR: 'format',
};

/** The StoreError for a failed file call: `unavailable` unless `kinds` has another. Returns a StoreError unchanged. */
export function fileError(failure: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const kind = kinds[errorCode(error) ?? ''] ?? 'unavailable';
  return new StoreError(kind, `${failure}: ${errorMessage(error)}`, {cause: error});
}

/** Mode of the directory: the store holds names, hashes and a server secret. */
const ownerOnlyDirectory = 0o700;
const writableByOthers = 0o022;
const accessOfOthers = 0o077;

/** Whether there is a store in a directory. */
export async function hasStore(files: Files, directory: string): Promise<boolean> {
  try {
    await files.lstat(path.join(directory, names.store));
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/**
 * Files that a crash during the creation of the store may leave; the name of a lock repeats `.lock` during a takeover.
 * A control socket is not among them: only a service with an open store creates one, so the store's file must be lost.
 */
const leftover = /^(store(\.lock)+|store\.jsonl\.tmp)$/;

/**
 * Creates the directory of a new store unless it exists. An existing one may hold leftovers of an earlier attempt.
 *
 * @throws StoreError of kind `format` when it holds other files; or the error of a file call
 */
export async function makeVacant(files: Files, directory: string): Promise<void> {
  for (const made of await makeDirectory(directory, files))
    await syncDirectory(files, path.dirname(made));
  const foreign = (await files.readdir(directory)).find((name) => !leftover.test(name));
  // Another process may have created the store in the meantime.
  if (foreign === undefined || (await hasStore(files, directory))) return;
  const message = `${directory} holds other files (${path.join(directory, foreign)}) but no ${names.store}. If it was a store, restore it from a backup; else use an empty or a new directory.`;
  throw new StoreError('format', message);
}

/**
 * Refuses a directory that another user owns or can write: that user could plant files and redirect writes. If others
 * can only read it, or if it is empty, removes their access instead. Node.js knows no owners or modes on Windows.
 *
 * @throws StoreError of kind `forbidden` or `exposed`; or the error of a file call
 */
export async function checkAccess(files: Files, directory: string, log: StoreLog): Promise<void> {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const {uid, mode} = await files.stat(directory);
  if (uid !== user) {
    const message = `${directory} belongs to user id ${uid}, but this process runs as user id ${user}; only the owner may use a store. Run the command as that user: sudo -u '#${uid}'`;
    throw new StoreError('forbidden', message);
  }
  if ((mode & accessOfOthers) === 0) return;
  const requireNothingPlanted = async () => {
    const listing = (mode & writableByOthers) === 0 ? [] : await files.readdir(directory);
    if (listing.length > 0) throw exposed(directory, mode);
  };
  // An empty directory, from `mkdir` or a new volume, holds no planted files.
  await requireNothingPlanted();
  await files.chmod(directory, ownerOnlyDirectory);
  const {mode: left} = await files.stat(directory);
  if ((left & writableByOthers) !== 0) throw exposed(directory, left);
  await requireNothingPlanted();
  const found = {path: directory, mode: ownerOnlyDirectory.toString(8)};
  log.warn(found, 'removed the access of other users to the store');
}

function exposed(directory: string, mode: number): StoreError {
  const octal = (mode & 0o7777).toString(8).padStart(4, '0');
  const message = `Other users can write ${directory} (mode ${octal}) and may have changed the store. Check its files, then run: chmod go-w ${shellWord(directory)}`;
  return new StoreError('exposed', message);
}

/**
 * Takes the lock of a store: only one process at a time may use it.
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
  const target = path.join(directory, names.lock);
  return ProcessLock.acquire(target, {label: 'using the store', wait, clock, files});
}
