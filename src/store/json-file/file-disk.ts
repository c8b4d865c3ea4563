import {randomBytes} from 'node:crypto';
import {syncDirectory} from '../../system/durable-file.js';
import type {Files} from '../../system/files.js';
import {fileError, modes} from './files.js';
import {inDirectory, names} from './layout.js';
import {BrokenFileError, type LogFile} from './log-file.js';
import type {Line} from './state/state.js';
import type {StoreLock} from './store-lock.js';
import type {Disk} from './writer.js';

/** Free bytes that a full disk needs before the store is ready again: a batch of some hundred records. */
const roomBytes = 64 * 1024;

/** Called by the disk. */
interface DiskEvents {
  /** A line was written and synced. @param seconds how long that took */
  readonly synced: (seconds: number) => void;
  readonly settled: () => void;
}

/** The members of a line as JSON text; see `encodeLines`. */
export function membersOf(line: Line): string {
  return JSON.stringify(line).slice(1, -1) || '"heartbeats":[]';
}

/** The file of a store, which may be replaced by one that was written beside it. */
export class FileDisk implements Disk {
  readonly #files: Files;
  readonly #directory: string;
  readonly #lock: StoreLock;
  readonly #events: DiskEvents;
  #file: LogFile;
  #probing: Promise<void> | undefined;

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

  /**
   * Checks that there is room for more than one record: a small one may fit into the last block of a
   * disk that is otherwise full. Concurrent callers share one probe.
   *
   * @throws StoreError when there is no room
   */
  checkRoom(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probe(): Promise<void> {
    const probe = inDirectory(this.#directory, names.temporary('room'));
    try {
      const handle = await this.#files.open(probe, 'w', modes.file);
      try {
        await handle.writeFile(randomBytes(roomBytes));
        await handle.sync();
      } finally {
        await handle.close();
        await this.#files.rm(probe, {force: true});
      }
    } catch (error) {
      throw fileError('writing is not possible yet', error);
    }
  }

  async close(): Promise<void> {
    await this.#probing?.catch(() => {});
    await this.#file.close();
  }
}
