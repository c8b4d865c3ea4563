import {syncDirectory} from '../../system/durable-file.js';
import type {ProcessLock} from '../../system/process-lock.js';
import {verifyLock} from './directory.js';
import {inDirectory, names} from './files.js';
import {BrokenFileError, type LogFile} from './log.js';
import type {ReadContext} from './read.js';
import {type Line, membersOf} from './state.js';

/** The file of a store in use, which may be replaced by one that was written beside it. */
export class StoreFile {
  readonly #context: ReadContext;
  readonly #lock: ProcessLock;
  #log: LogFile;

  constructor(context: ReadContext, log: LogFile, lock: ProcessLock) {
    this.#context = context;
    this.#log = log;
    this.#lock = lock;
  }

  get log(): LogFile {
    return this.#log;
  }

  /** See `verifyLock`. */
  verifyLock(): Promise<void> {
    return verifyLock(this.#lock, this.#context.directory);
  }

  /** See `Disk`. @returns seconds that the write and its sync took */
  async append(line: Line): Promise<number> {
    await this.verifyLock();
    const startedAt = performance.now();
    await this.#log.append([membersOf(line)]);
    await this.#log.sync();
    const seconds = (performance.now() - startedAt) / 1000;
    // After a long stop in the middle of the write another process may not have read it.
    await this.verifyLock().catch((error: unknown) => {
      throw new BrokenFileError(this.#context.directory, 'checking the lock', error);
    });
    return seconds;
  }

  /**
   * Puts a synced draft in the place of the file. Nothing may be written meanwhile.
   *
   * @throws BrokenFileError when it is not known which of them a restart will read
   */
  async replace(draft: LogFile): Promise<void> {
    const {files, directory} = this.#context;
    const path = inDirectory(directory, names.store);
    await this.verifyLock();
    await files.rename(draft.path, path);
    const previous = this.#log;
    this.#log = draft;
    draft.path = path;
    try {
      await syncDirectory(files, directory);
    } catch (error) {
      throw new BrokenFileError(directory, 'fsync', error);
    } finally {
      await previous.close();
    }
  }

  /** Closes the file and releases the lock. */
  async close(): Promise<void> {
    try {
      await this.#log.close();
      await this.verifyLock();
    } finally {
      await this.#lock.release();
    }
  }
}
