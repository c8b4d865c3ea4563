import type {FileHandle} from 'node:fs/promises';
import {type Files, nodeFiles} from '../../system/files.js';
import type {ProcessLock} from '../../system/process-lock.js';
import {sharedSync} from '../../system/shared-sync.js';
import {hasCode} from '../errors/system-error.js';

/** How a directory is used. */
interface DirectoryUse {
  readonly disk?: Files;
  /** Must be held for every change. */
  readonly lock?: Pick<ProcessLock, 'requireHeld'>;
}

/** The directory of credentials files. */
export class CredentialsDirectory {
  readonly path: string;
  readonly disk: Files;
  /** Makes new names durable, with one sync for all activations that wait for one. */
  readonly sync: () => Promise<void>;
  readonly #names: ReadonlySet<string> | undefined;
  readonly #lock: Pick<ProcessLock, 'requireHeld'> | undefined;
  #handle: FileHandle | undefined;

  /**
   * @param names the files that were there at first: later only activations add some, each its own.
   * Undefined: look for each.
   */
  constructor(
    path: string,
    {disk = nodeFiles, names, lock}: DirectoryUse & {readonly names?: readonly string[]},
  ) {
    this.path = path;
    this.disk = disk;
    this.#names = names && new Set(names);
    this.#lock = lock;
    this.sync = sharedSync(async () => {
      this.#handle ??= await disk.open(path, 'r');
      await this.#handle.sync();
    });
  }

  /** The directory with the names of its files; it may not exist. @throws the system's error */
  static async list(path: string, use: DirectoryUse = {}): Promise<CredentialsDirectory> {
    const names = await (use.disk ?? nodeFiles).readdir(path).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    return new CredentialsDirectory(path, {...use, names});
  }

  /** Checks that no other process can have the lock. @throws LockLostError, or the system's error */
  async requireHeld(): Promise<void> {
    try {
      await this.#lock?.requireHeld();
    } catch (error) {
      // A directory that is gone is the better reason.
      await this.disk.lstat(this.path);
      throw error;
    }
  }

  /** Needed after the last sync. */
  async close(): Promise<void> {
    await this.#handle?.close();
  }

  mayHave(name: string): boolean {
    return this.#names?.has(name) ?? true;
  }
}
