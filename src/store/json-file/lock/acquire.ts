import {randomBytes} from 'node:crypto';
import type {FileHandle} from 'node:fs/promises';
import process from 'node:process';
import {errorCode} from '../../../system/error-codes.js';
import type {Files} from '../../../system/files.js';
import {syncDirectory} from '../../../system/sync-directory.js';
import {StoreError} from '../../store.js';
import {fileError, modes} from '../files.js';
import {inDirectory, isLock, names, numbersOf} from '../format/layout.js';
import {LivenessSocket} from './liveness-socket.js';
import {describeSelf, isRunning, LockOwner, readIfThere} from './owner.js';

/**
 * One process per store. Locks are numbered, and the highest number counts. If its owner is no longer
 * running, a starting process creates the lock with the next number; a name can be linked only once, so
 * of two starters one succeeds. A hard link puts a complete lock file in place. A release renames the
 * file and does not remove it: if the highest number vanished, a slow starter could create one that
 * others have passed. A rename also works on a full disk.
 */
export class StoreLock {
  readonly #files: Files;
  readonly #directory: string;
  readonly #number: number;
  readonly #socket: LivenessSocket | undefined;
  /** Kept open, so that no other file gets its inode number. */
  #file: FileHandle | undefined;
  #lostError: StoreError | undefined;

  private constructor(
    files: Files,
    directory: string,
    number: number,
    socket: LivenessSocket | undefined,
  ) {
    this.#files = files;
    this.#directory = directory;
    this.#number = number;
    this.#socket = socket;
  }

  /**
   * Takes the lock of a store.
   *
   * @throws StoreError of kind `locked`, with the owner's pid; or the error of a file call
   */
  static async acquire(files: Files, directory: string): Promise<StoreLock> {
    for (;;) {
      const before = await highest(files, directory);
      await refuseIfHeld(files, directory, before);
      const number = before + 1;
      const unique = names.lockDraft(number, process.pid, randomBytes(6).toString('hex'));
      const socket = await LivenessSocket.listen(files, directory, names.socket(unique));
      const lock = new StoreLock(files, directory, number, socket);
      try {
        if (await lock.#claim(unique)) return lock;
      } catch (error) {
        await lock.release().catch(() => {});
        throw error;
      }
      await lock.#close();
    }
  }

  /** Creates the file of this lock. @returns false when another process was faster: try again */
  async #claim(unique: string): Promise<boolean> {
    const path = inDirectory(this.#directory, names.lock(this.#number));
    const draft = inDirectory(this.#directory, unique);
    const socketName = this.#socket === undefined ? null : names.socket(unique);
    this.#file = await createLockFile(this.#files, path, draft, socketName);
    if (this.#file === undefined) return false;
    const counts = (await highest(this.#files, this.#directory)) === this.#number;
    // The previous owner may have removed the socket as the leftover of a crash.
    if (counts && (this.#socket === undefined || (await this.#socket.exists()))) {
      await this.#removeOthers(socketName);
      await syncDirectory(this.#files, this.#directory);
      return true;
    }
    await this.#rename();
    return false;
  }

  /** Removes earlier locks and the leftovers of crashes. */
  async #removeOthers(socketName: string | null): Promise<void> {
    const own = [names.lock(this.#number), socketName];
    for (const name of await this.#files.readdir(this.#directory)) {
      if (!isLock(name) || own.includes(name)) continue;
      await this.#files.rm(inDirectory(this.#directory, name), {force: true});
    }
  }

  #rename(): Promise<void> {
    const held = inDirectory(this.#directory, names.lock(this.#number));
    return this.#files.rename(held, inDirectory(this.#directory, names.releasedLock(this.#number)));
  }

  /** @throws StoreError of kind `unavailable` once `verifyHeld` has found the lock lost */
  check(): void {
    if (this.#lostError !== undefined) throw this.#lostError;
  }

  /**
   * Checks that the lock file is still in place. It is not after the directory was moved, removed or
   * replaced, perhaps by a backup: writes would then go to files that are never read again, and new or
   * removed files would be in a directory that is not this store's.
   *
   * @throws StoreError of kind `unavailable` when the lock is lost, for good; or the error of the check
   */
  async verifyHeld(): Promise<void> {
    this.check();
    if (await this.#isInPlace()) return;
    this.#lostError ??= new StoreError(
      'unavailable',
      `${this.#directory} was moved, removed or replaced while the store was in use. The store refuses further writes: put the directory back, then restart.`,
    );
    throw this.#lostError;
  }

  async #isInPlace(): Promise<boolean> {
    const path = inDirectory(this.#directory, names.lock(this.#number));
    try {
      const [own, found] = await Promise.all([this.#file?.stat(), this.#files.stat(path)]);
      return own?.ino === found.ino && own?.dev === found.dev;
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
      throw fileError(`${path} cannot be checked`, error);
    }
  }

  /** Releases the lock, unless it is lost. */
  async release(): Promise<void> {
    try {
      if (this.#file === undefined) return;
      await this.verifyHeld();
      await this.#rename();
    } finally {
      await this.#close();
    }
  }

  async #close(): Promise<void> {
    await this.#file?.close();
    await this.#socket?.close();
  }
}

async function highest(files: Files, directory: string): Promise<number> {
  return numbersOf('lock', await files.readdir(directory)).at(-1) ?? 0;
}

/** @throws StoreError of kind `locked` when a lock is held */
async function refuseIfHeld(files: Files, directory: string, number: number): Promise<void> {
  const path = inDirectory(directory, names.lock(number));
  const text = await readIfThere(files, path);
  // Released or removed since it was listed.
  if (text === null) return;
  const owner = parseOwner(path, text);
  if (!(await isRunning(files, directory, owner))) return;
  throw new StoreError(
    'locked',
    `${directory} is in use by process ${owner.pid}; only one process at a time can use a store.`,
  );
}

function parseOwner(path: string, text: string): LockOwner {
  try {
    return LockOwner.parse(JSON.parse(text));
  } catch (error) {
    const advice = 'not a lock file of connectorctl; remove it if no other process uses the store';
    throw new StoreError('locked', `${path}: ${advice}.`, {cause: error});
  }
}

/** Creates a complete lock file. Undefined: it exists, or another process removed the draft. */
async function createLockFile(
  files: Files,
  path: string,
  draft: string,
  socket: string | null,
): Promise<FileHandle | undefined> {
  const handle = await files.open(draft, 'wx', modes.file);
  try {
    await handle.writeFile(`${JSON.stringify(await describeSelf(files, socket))}\n`);
    await handle.sync();
    await files.link(draft, path);
    return handle;
  } catch (error) {
    await handle.close();
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  } finally {
    await files.rm(draft, {force: true});
  }
}
