import {hostname} from 'node:os';
import type {Clock} from '../../system/clock.js';
import type {Files} from '../../system/files.js';
import type {LockOwner} from '../../system/lock-owner.js';
import {LockLostError, ProcessLock} from '../../system/process-lock.js';
import {StoreError} from '../store.js';
import {fileError} from './files.js';
import {inDirectory, names} from './layout.js';

/** One process per store. */
export class StoreLock {
  readonly #lock: ProcessLock;
  readonly #directory: string;

  private constructor(lock: ProcessLock, directory: string) {
    this.#lock = lock;
    this.#directory = directory;
  }

  /**
   * Takes the lock of a store.
   *
   * @throws StoreError of kind `locked`, with the owner's pid; or the error of a file call
   */
  static async acquire(files: Files, directory: string, clock: Clock): Promise<StoreLock> {
    const wait = ({pid, host}: LockOwner) => {
      const owner = host === hostname() ? pid : `${pid} on ${host}`;
      throw new StoreError(
        'locked',
        `${directory} is in use by process ${owner}; only one process at a time can use a store.`,
      );
    };
    const target = inDirectory(directory, names.lock);
    const lock = await ProcessLock.acquire(target, {label: 'using the store', wait, clock, files});
    return new StoreLock(lock, directory);
  }

  /** Whether the previous owner may still be running and finish a write. */
  get followsSilentOwner(): boolean {
    return this.#lock.followsSilentOwner;
  }

  /**
   * Checks that the lock file is still in place. It is not after the directory was moved, removed or replaced, perhaps
   * by a backup: writes would then go to files that are never read again, and new or removed files would be in a
   * directory that is not this store's.
   *
   * @throws StoreError of kind `unavailable` when the lock is lost, for good; or the error of the check
   */
  async verifyHeld(): Promise<void> {
    try {
      await this.#lock.verifyHeld();
    } catch (error) {
      if (!(error instanceof LockLostError)) {
        throw fileError(`the lock of ${this.#directory} cannot be checked`, error);
      }
      throw new StoreError(
        'unavailable',
        `${this.#directory} was moved, removed or replaced while the store was in use, or another process took it over while this one was stopped. The store refuses further writes: check the directory, then restart.`,
        {cause: error},
      );
    }
  }

  /** Releases the lock. @throws StoreError of kind `unavailable` when it is lost */
  async release(): Promise<void> {
    try {
      await this.verifyHeld();
    } finally {
      await this.#lock.release();
    }
  }
}
