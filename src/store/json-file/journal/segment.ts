import {constants} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import {errorMessage} from '../../../node-errors.js';
import {syncDirectory} from '../../../sync-directory.js';
import {StoreError} from '../../store.js';
import {type Files, fileError, modes, noFollow} from '../files.js';
import {formatVersion, inDirectory, names} from '../format/layout.js';
import {encodeLine, type SegmentEnd} from '../format/lines.js';
import type {StoreRecord} from '../format/records.js';

/** The state of the journal's end is unknown: nothing more may be written to it. */
export class JournalBroken extends StoreError {
  constructor(file: string, doing: string, cause: unknown) {
    super(
      'unavailable',
      `${file}: ${doing} failed (${errorMessage(cause)}). The store writes no more: check the disk, then start again.`,
      {cause},
    );
  }
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

  /** Opens a segment to append at `end`; makes the file, empty, when there is none. */
  static async open(
    files: Files,
    directory: string,
    number: number,
    end: SegmentEnd,
  ): Promise<Segment> {
    const path = inDirectory(directory, names.journal(number));
    // Not opened for appending: writes go to a place that is given, over what a failed one left.
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

  /** Goes on where another segment ends. Only before the first append. */
  continue(previous: Segment): void {
    this.#chain = previous.#chain;
  }

  /**
   * Appends one line of records and returns when it is on disk. The header goes with the first
   * line, so that continuing the journal in a new segment costs no sync of its own.
   *
   * @throws StoreError with nothing appended; JournalBroken when that cannot be told
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
      await this.#takeBack();
      throw fileError(`${this.#path}: writing failed`, error);
    }
  }

  /** Cuts off what a failed write left, so that the file ends as if it had never begun. */
  async #takeBack(): Promise<void> {
    try {
      await this.#handle.truncate(this.#length);
    } catch (error) {
      throw new JournalBroken(this.#path, 'taking back a failed write', error);
    }
  }

  /**
   * After a failed sync the system may drop what it could not write and call the next sync a
   * success, so there is no second try. What was not synced is cut off, so that a restart does
   * not read it back from the system's cache.
   */
  async #sync(): Promise<void> {
    try {
      await this.#handle.datasync();
    } catch (error) {
      await this.#handle.truncate(this.#length).catch(() => {});
      throw new JournalBroken(this.#path, 'fsync', error);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
