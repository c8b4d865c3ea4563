import {syncDirectory} from '../../system/durable-file.js';
import type {Files} from '../../system/files.js';
import {inDirectory, names} from './layout.js';
import {BrokenFileError, type LogFile} from './log-file.js';
import type {Line} from './state/state.js';
import type {StoreLock} from './store-lock.js';
import type {Disk} from './writer.js';

/** Called by the disk. */
interface DiskEvents {
  /** A line was written and synced. @param seconds how long that took */
  readonly synced: (seconds: number) => void;
  readonly settled: () => void;
}

/** The members of a line as JSON text; see `encodeLines`. */
function membersOf(line: Line): string {
  return JSON.stringify(line).slice(1, -1) || '"heartbeats":[]';
}

/** The file of a store, which may be replaced by one that was written beside it. */
export class FileDisk implements Disk {
  readonly #files: Files;
  readonly #directory: string;
  readonly #lock: StoreLock;
  readonly #events: DiskEvents;
  #file: LogFile;

  constructor(files: Files, directory: string, file: LogFile, lock: StoreLock, events: DiskEvents) {
    this.#files = files;
    this.#directory = directory;
    this.#file = file;
    this.#lock = lock;
    this.#events = events;
  }

  get file(): LogFile {
    return this.#file;
  }

  async append(line: Line): Promise<void> {
    await this.#lock.verifyHeld();
    const {length} = this.#file;
    const startedAt = performance.now();
    await this.#file.append([membersOf(line)]);
    await this.#file.sync(length);
    this.#events.synced((performance.now() - startedAt) / 1000);
    // After a long stop in the middle of the write another process may not have read it.
    await this.#lock.verifyHeld().catch((error: unknown) => {
      throw new BrokenFileError(this.#directory, 'checking the lock', error);
    });
  }

  settled(): void {
    this.#events.settled();
  }

  /**
   * Puts a synced file in the place of this one. Nothing may be written meanwhile.
   *
   * @throws BrokenFileError when it is not known which of them a restart will read
   */
  async replace(draft: string, file: LogFile): Promise<void> {
    const path = inDirectory(this.#directory, names.store);
    await this.#lock.verifyHeld();
    await this.#files.rename(draft, path);
    const previous = this.#file;
    this.#file = file;
    file.path = path;
    try {
      await syncDirectory(this.#files, this.#directory);
    } catch (error) {
      throw new BrokenFileError(this.#directory, 'fsync', error);
    } finally {
      await previous.close();
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
