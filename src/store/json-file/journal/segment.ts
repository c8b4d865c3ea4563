import {constants} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import {writeDurably} from '../../../system/durable-file.js';
import {errorMessage} from '../../../system/error-codes.js';
import type {Files} from '../../../system/files.js';
import {syncDirectory} from '../../../system/sync-directory.js';
import {StoreError} from '../../store.js';
import {fileError, modes, noFollow} from '../files.js';
import {inDirectory, names} from '../format/layout.js';
import {encodeLine, type SegmentEnd} from '../format/lines.js';
import type {StoreRecord} from '../format/records.js';
import {formatVersion} from '../format/upgrades.js';

/** The end of the journal is in an unknown state, so nothing more may be written to it. */
export class BrokenJournalError extends StoreError {
  constructor(file: string, doing: string, cause: unknown) {
    super(
      'unavailable',
      `${file}: ${doing} failed (${errorMessage(cause)}). The store refuses further writes: check the disk, then restart.`,
      {cause},
    );
  }
}

/**
 * Puts a copy of a segment in its place. A process that was stopped in the middle of a write, and took itself for the
 * owner of the store, then writes into a file that nobody reads.
 */
export async function detachSegment(
  files: Files,
  directory: string,
  number: number,
): Promise<void> {
  const path = inDirectory(directory, names.journal(number));
  await writeDurably(files, path, await files.readFile(path), {draft: names.temporary(path)});
}

/** One file of the journal, open for appending. */
export class Segment {
  readonly number: number;
  readonly #path: string;
  readonly #handle: FileHandle;
  #length: number;
  #chain: number;

  private constructor(number: number, path: string, handle: FileHandle, end: SegmentEnd) {
    this.number = number;
    this.#path = path;
    this.#handle = handle;
    this.#length = end.length;
    this.#chain = end.chain;
  }

  /** Opens a segment to append at `end`; creates an empty file when there is none. */
  static async open(
    files: Files,
    directory: string,
    number: number,
    end: SegmentEnd,
  ): Promise<Segment> {
    const path = inDirectory(directory, names.journal(number));
    // Without O_APPEND: each write has an explicit position and overwrites what a failed one left.
    const flags = constants.O_RDWR | constants.O_CREAT | noFollow;
    const handle = await files.open(path, flags, modes.file);
    try {
      await syncDirectory(files, directory);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new Segment(number, path, handle, end);
  }

  get length(): number {
    return this.#length;
  }

  get chain(): number {
    return this.#chain;
  }

  /** Continues the chain of another segment. Only before the first append. */
  continue(previous: Segment): void {
    this.#chain = previous.#chain;
  }

  /**
   * Appends one line of records and syncs it. The header is written with the first line, so that a new
   * segment costs no extra sync.
   *
   * @throws StoreError with nothing appended; BrokenJournalError when the end is unknown
   */
  async append(records: readonly StoreRecord[]): Promise<void> {
    const lines: Buffer[] = [];
    let chain = this.#chain;
    const add = (members: string): void => {
      const line = encodeLine(members, chain);
      lines.push(line.bytes);
      chain = line.crc;
    };
    if (this.#length === 0) {
      add(`"type":"journal","version":${formatVersion},"segment":${this.number}`);
    }
    add(`"records":${JSON.stringify(records)}`);
    const [only, ...more] = lines;
    const bytes = only !== undefined && more.length === 0 ? only : Buffer.concat(lines);
    await this.#write(bytes);
    await this.#sync();
    this.#length += bytes.length;
    this.#chain = chain;
  }

  async #write(bytes: Buffer): Promise<void> {
    try {
      let done = 0;
      while (done < bytes.length) {
        const {bytesWritten} = await this.#handle.write(
          bytes,
          done,
          bytes.length - done,
          this.#length + done,
        );
        done += bytesWritten;
      }
    } catch (error) {
      await this.#undoWrite();
      throw fileError(`${this.#path}: writing failed`, error);
    }
  }

  /** Removes what a failed write left. */
  async #undoWrite(): Promise<void> {
    try {
      await this.#handle.truncate(this.#length);
    } catch (error) {
      throw new BrokenJournalError(this.#path, 'removing a failed write', error);
    }
  }

  /**
   * After a failed sync the system may drop the data and report the next sync as a success, so there
   * is no second attempt. The unsynced bytes are removed, so that a restart does not read them from the
   * system's cache.
   */
  async #sync(): Promise<void> {
    try {
      await this.#handle.datasync();
    } catch (error) {
      await this.#handle.truncate(this.#length).catch(() => {});
      throw new BrokenJournalError(this.#path, 'fsync', error);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
