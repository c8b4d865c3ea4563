import {constants} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import process from 'node:process';
import {type Files, ownerOnly} from '../../system/durable-file.js';
import {errorMessage} from '../../system/system-error.js';
import {StoreError} from '../store.js';
import {fileError} from './directory.js';
import {encodeLines} from './lines.js';

/** The error for a file whose end is in an unknown state, so that nothing more may be written to it. */
export class BrokenFileError extends StoreError {
  constructor(file: string, doing: string, cause: unknown) {
    super(
      'unavailable',
      `${file}: ${doing} failed (${errorMessage(cause)}). The store refuses further writes: check the disk, then restart.`,
      {cause},
    );
  }
}

/** The end of the lines: their length in bytes, and the checksum that the next line continues. */
export interface FileEnd {
  readonly length: number;
  readonly chain: number;
}

/**
 * The open flag that makes each write durable when it returns (open(2)): one call for a line instead of two. Not on
 * macOS, whose O_DSYNC leaves data in the disk's cache; a sync by Node.js does not (`F_FULLFSYNC` in libuv).
 */
const durable = process.platform === 'linux' ? constants.O_DSYNC : 0;

/** Flags that refuse a symlink. They lack O_APPEND, so that a write overwrites what a failed one left. */
const inUse = constants.O_WRONLY | constants.O_NOFOLLOW | durable;

/** A file of chained lines, open for appending. */
export class LogFile {
  /** The current path, for messages and renames. */
  path: string;
  /** Bytes that the next sync makes durable. */
  unsynced = 0;
  #handle: FileHandle;
  #flags: number;
  #end: FileEnd;

  private constructor(path: string, handle: FileHandle, flags: number, end: FileEnd) {
    this.path = path;
    this.#handle = handle;
    this.#flags = flags;
    this.#end = end;
  }

  /** Opens a file to append at `end`. Cuts off what follows it, and syncs the rest. */
  static async open(files: Files, path: string, end: FileEnd): Promise<LogFile> {
    const file = new LogFile(path, await files.open(path, inUse), inUse, end);
    try {
      const {size} = await file.#handle.stat();
      if (size > end.length) await file.#handle.truncate(end.length);
      await file.#handle.datasync();
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Creates an empty file in place of one that a crash left. */
  static async create(files: Files, path: string): Promise<LogFile> {
    await files.rm(path, {force: true});
    return new LogFile(path, await files.open(path, 'wx', ownerOnly), 0, {length: 0, chain: 0});
  }

  /** Syncs a file from `create`, and reopens it with the flags of `open`. */
  async reopen(files: Files): Promise<void> {
    await this.sync();
    const previous = this.#handle;
    this.#handle = await files.open(this.path, inUse);
    this.#flags = inUse;
    await previous.close();
  }

  get length(): number {
    return this.#end.length;
  }

  /**
   * Appends lines. They count as durable after `sync`.
   *
   * @param lines see `encodeLines`
   * @throws StoreError with nothing appended; BrokenFileError when the end of the file is unknown
   */
  async append(lines: readonly string[]): Promise<void> {
    const {length} = this;
    const {bytes, crc: chain} = encodeLines(lines, this.#end.chain);
    try {
      let done = 0;
      while (done < bytes.length) {
        const left = bytes.length - done;
        done += (await this.#handle.write(bytes, done, left, length + done)).bytesWritten;
      }
    } catch (error) {
      await this.#handle.truncate(length).catch((cause: unknown) => {
        throw new BrokenFileError(this.path, 'removing a failed write', cause);
      });
      const failure = fileError(`${this.path}: writing failed`, error);
      // A durable write also syncs. That sync may have failed, unless there was no room for the bytes.
      const isUnknown = this.#flags & durable && failure.kind !== 'full';
      throw isUnknown ? new BrokenFileError(this.path, 'writing', error) : failure;
    }
    this.#end = {length: length + bytes.length, chain};
    this.unsynced += bytes.length;
  }

  /**
   * Makes all appended lines durable. After a failed sync the system may drop the data and report the next sync as a
   * success, so there is no second attempt. Removes the unsynced bytes, so that a restart does not read them from the
   * system's cache.
   *
   * @throws BrokenFileError
   */
  async sync(): Promise<void> {
    try {
      if (!(this.#flags & durable)) await this.#handle.datasync();
    } catch (error) {
      await this.#handle.truncate(this.length - this.unsynced).catch(() => {});
      throw new BrokenFileError(this.path, 'fsync', error);
    }
    this.unsynced = 0;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
