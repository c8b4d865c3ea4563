import type {Stats} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import {type Clock, systemClock} from './clock.js';
import {type Files, nodeFiles, ownerOnly} from './durable-file.js';
import {describeSelf, isOwnerRunning, type LockOwner, parseOwner} from './lock-owner.js';
import {errorCode} from './system-error.js';

/** Milliseconds between touches of a lock file, and without a touch until a remote owner counts as gone. */
const alive = {every: 1000, gone: 10_000} as const;

/** Milliseconds to wait for another process: longer than the lock of a killed remote process stays valid. */
export const lockTimeout = alive.gone + 2000;

/** The range of the random pause between attempts, in milliseconds. Two processes that collide rarely collide again. */
const pause = {min: 5, max: 95} as const;

/** Maximum size in bytes of a lock file to read; the text of a lock is shorter. */
const longestText = 4096;

interface LockRequest {
  /** The activity of this process, shown in other processes' messages. */
  readonly label: string;
  /** Called after each attempt while another process holds the lock: returns to try again, throws to give up. */
  readonly wait: (owner: LockOwner) => void;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  readonly files?: Files;
}

type Identity = Pick<Stats, 'dev' | 'ino'>;

/** A lock file that this process has created. */
interface LockFile {
  readonly file: FileHandle;
  readonly own: Identity;
}

/** This process has lost the lock: the lock file was removed, moved or replaced. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/**
 * A lock on a file or directory, for all processes on all machines that share it. The lock is a file beside its target,
 * created exclusively and touched every second while its owner runs. A waiting process asks the kernel whether an owner
 * on this machine runs; for any other owner it watches the touches by its own clock.
 */
export class ProcessLock {
  readonly #files: Files;
  readonly #path: string;
  /** Kept open, so that no other file gets its inode number. */
  readonly #file: FileHandle;
  readonly #own: Identity;
  readonly #timer: NodeJS.Timeout;
  /** Whether the previous owner fell silent, and has not certainly ended: it may still finish a file call. */
  readonly followsSilentOwner: boolean;
  #lost: LockLostError | undefined;

  private constructor(files: Files, path: string, created: LockFile, followsSilentOwner: boolean) {
    this.#files = files;
    this.#path = path;
    this.#file = created.file;
    this.#own = created.own;
    this.followsSilentOwner = followsSilentOwner;
    this.#timer = setInterval(() => this.#touch().catch(() => {}), alive.every).unref();
  }

  /**
   * Takes the lock, or waits for it.
   *
   * @throws the error of `wait`, the reason of the signal, or the system's error if the lock file cannot be created or
   *   read
   */
  static async acquire(target: string, request: LockRequest): Promise<ProcessLock> {
    const {files = nodeFiles, clock = systemClock, label, signal} = request;
    const path = `${target}.lock`;
    const self = await describeSelf(files);
    let seen: {version: string; since: number; isAlive: boolean} | undefined;
    let isSilent = false;
    for (;;) {
      signal?.throwIfAborted();
      const created = await create(files, path, {...self, label});
      if (created !== undefined) {
        const lock = new ProcessLock(files, path, created, isSilent);
        // If this process was suspended before it wrote the file, another process may have removed the file.
        if (await lock.#isInPlace()) return lock;
        await lock.release();
      }
      const found = await readLock(files, path);
      if (found === undefined) continue;
      const {version, owner, isCopy} = found;
      if (version !== seen?.version) {
        seen = {version, since: clock.now(), isAlive: seen !== undefined};
      }
      const isRunning = isCopy ? undefined : await isOwnerRunning(files, owner, self);
      isSilent = isRunning === undefined && clock.now() - seen.since >= alive.gone;
      if (isRunning === false || isSilent) await takeAway(path, version, request);
      else {
        if (isRunning || seen.isAlive) request.wait(owner);
        await clock.wait(pause.min + Math.random() * (pause.max - pause.min), signal);
      }
    }
  }

  /**
   * Checks that the lock file is still in place. While this process was suspended, another one may have taken the lock;
   * the directory may have been moved, or replaced by a backup.
   *
   * @throws LockLostError, now and at each later call; or the error of the check
   */
  async verifyHeld(): Promise<void> {
    this.#lost ??= (await this.#isInPlace())
      ? undefined
      : new LockLostError(`${this.#path} is no longer in place`);
    if (this.#lost !== undefined) throw this.#lost;
  }

  async #touch(): Promise<void> {
    await this.verifyHeld();
    const now = new Date();
    await this.#files.utimes(this.#path, now, now);
  }

  async #isInPlace(): Promise<boolean> {
    try {
      const {ino, dev} = await this.#files.stat(this.#path);
      return ino === this.#own.ino && dev === this.#own.dev;
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
      throw error;
    }
  }

  /** Never fails. If the lock file remains, another process removes it once this process has ended. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    const isInPlace = await this.#isInPlace().catch(() => false);
    if (isInPlace) await this.#files.unlink(this.#path).catch(() => {});
    await this.#file.close().catch(() => {});
  }
}

/** Creates a lock file; undefined if it exists. */
async function create(
  files: Files,
  path: string,
  owner: Omit<LockOwner, 'inode'>,
): Promise<LockFile | undefined> {
  let file: FileHandle;
  try {
    file = await files.open(path, 'wx', ownerOnly);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    const own = await file.stat();
    await file.writeFile(`${JSON.stringify({...owner, inode: own.ino})}\n`);
    return {file, own};
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(path).catch(() => {});
    throw error;
  }
}

/** Reads another process's lock file; undefined when it is gone. `version` changes with each touch. */
async function readLock(files: Files, path: string) {
  try {
    const found = await files.lstat(path);
    // Another user may have planted a pipe, a link or a long file.
    const isText = found.isFile() && found.size <= longestText;
    const owner = parseOwner(isText ? await files.readFile(path, 'utf8') : '');
    return {version: `${found.ino} ${found.mtimeMs}`, owner, isCopy: owner.inode !== found.ino};
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the lock file of an owner that ended or fell silent, unless another process did so and took the lock. */
async function takeAway(path: string, version: string, request: LockRequest): Promise<void> {
  const {files = nodeFiles} = request;
  const turn = await ProcessLock.acquire(path, {...request, wait: () => {}});
  try {
    if ((await readLock(files, path))?.version === version) await files.unlink(path);
  } finally {
    await turn.release();
  }
}
