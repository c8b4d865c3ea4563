import {randomBytes} from 'node:crypto';
import type {FileHandle} from 'node:fs/promises';
import process from 'node:process';
import {errorCode} from '../../../node-errors.js';
import {syncDirectory} from '../../../sync-directory.js';
import {StoreError} from '../../store.js';
import {type Files, fileError, modes} from '../files.js';
import {inDirectory, isLock, names, numbersOf} from '../format/layout.js';
import {LivenessSocket} from './liveness-socket.js';
import {describeSelf, isAlive, LockOwner, readIfThere} from './owner.js';

/**
 * One process per store. Locks are numbered, and the highest number counts. Whoever finds it held
 * by nobody alive makes the next number; a file can be made once, so of two starters one succeeds.
 * A lock file is put in place whole (by a hard link), and is renamed, not removed, when it is let
 * go: were the highest number ever to vanish, a slow starter could make one that others have left
 * behind. Letting go takes no space on the disk.
 */
export class StoreLock {
  readonly #files: Files;
  readonly #directory: string;
  readonly #number: number;
  readonly #presence: LivenessSocket | undefined;
  /** Kept open, so that the number of its inode is given to no other file. */
  #file: FileHandle | undefined;
  #lostError: StoreError | undefined;

  private constructor(
    files: Files,
    directory: string,
    number: number,
    presence: LivenessSocket | undefined,
  ) {
    this.#files = files;
    this.#directory = directory;
    this.#number = number;
    this.#presence = presence;
  }

  /**
   * Takes the lock of a store.
   *
   * @throws StoreError of kind `locked`, naming the holder's pid; or what a file call throws
   */
  static async acquire(files: Files, directory: string): Promise<StoreLock> {
    for (;;) {
      const before = await highest(files, directory);
      await refuseIfHeld(files, directory, before);
      const number = before + 1;
      const unique = names.lockDraft(number, process.pid, randomBytes(6).toString('hex'));
      const presence = await LivenessSocket.show(files, directory, names.socket(unique));
      const lock = new StoreLock(files, directory, number, presence);
      try {
        if (await lock.#claim(unique)) return lock;
      } catch (error) {
        await lock.release().catch(() => {});
        throw error;
      }
      await lock.#end();
    }
  }

  /**
   * Makes the file of this lock.
   *
   * @returns false when others were faster: look again
   */
  async #claim(unique: string): Promise<boolean> {
    const path = inDirectory(this.#directory, names.lock(this.#number));
    const draft = inDirectory(this.#directory, unique);
    const socket = this.#presence === undefined ? null : names.socket(unique);
    this.#file = await putInPlace(this.#files, path, draft, socket);
    if (this.#file === undefined) return false;
    const counts = (await highest(this.#files, this.#directory)) === this.#number;
    // Whoever held the lock before may have taken the socket for one that a crash had left.
    if (counts && (this.#presence === undefined || (await this.#presence.isThere()))) {
      await this.#removeOthers(socket);
      await syncDirectory(this.#files, this.#directory);
      return true;
    }
    await this.#rename();
    return false;
  }

  /** Removes the locks before this one, and what crashes left. */
  async #removeOthers(socket: string | null): Promise<void> {
    const own = [names.lock(this.#number), socket];
    for (const name of await this.#files.readdir(this.#directory)) {
      if (!isLock(name) || own.includes(name)) continue;
      await this.#files.rm(inDirectory(this.#directory, name), {force: true});
    }
  }

  #rename(): Promise<void> {
    const held = inDirectory(this.#directory, names.lock(this.#number));
    return this.#files.rename(held, inDirectory(this.#directory, names.releasedLock(this.#number)));
  }

  /** Throws a StoreError of kind `unavailable` once `confirm` found the lock lost. */
  check(): void {
    if (this.#lostError !== undefined) throw this.#lostError;
  }

  /**
   * Looks whether the lock is still where it was put. It is not when the directory was moved, removed, or
   * replaced, by a backup maybe: what is written then goes to files that nobody will look for, and
   * what is made or removed by name is made or removed in a directory that is not this store's.
   *
   * @throws StoreError of kind `unavailable` when the lock is lost, for good; or when that cannot be told
   */
  async verifyHeld(): Promise<void> {
    this.check();
    if (await this.#isInPlace()) return;
    this.#lostError ??= new StoreError(
      'unavailable',
      `${this.#directory} was moved, removed or replaced while the store was in use. The store writes no more: put it back, then start again.`,
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
      throw fileError(`${path} cannot be looked at`, error);
    }
  }

  /** Lets go of the lock, unless it is lost. */
  async release(): Promise<void> {
    try {
      if (this.#file === undefined) return;
      await this.verifyHeld();
      await this.#rename();
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    await this.#file?.close();
    await this.#presence?.end();
  }
}

async function highest(files: Files, directory: string): Promise<number> {
  return numbersOf('lock', await files.readdir(directory)).at(-1) ?? 0;
}

/** @throws StoreError of kind `locked` when a lock is held */
async function refuseIfHeld(files: Files, directory: string, number: number): Promise<void> {
  const path = inDirectory(directory, names.lock(number));
  const text = await readIfThere(files, path);
  // Let go of or removed since it was listed.
  if (text === null) return;
  const holder = parseHolder(path, text);
  if (!(await isAlive(files, directory, holder))) return;
  throw new StoreError(
    'locked',
    `${directory} is in use by process ${holder.pid}; one process at a time can have it.`,
  );
}

function parseHolder(path: string, text: string): LockOwner {
  try {
    return LockOwner.parse(JSON.parse(text));
  } catch (error) {
    const advice = 'it is not a lock that connectorctl made; remove it if no other process uses it';
    throw new StoreError('locked', `${path}: ${advice}.`, {cause: error});
  }
}

/** Makes a lock file, whole from the first moment. Undefined: it exists, or the draft was tidied away. */
async function putInPlace(
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
