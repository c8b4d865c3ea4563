import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import {promisify} from 'node:util';
import * as z from 'zod/mini';
import {jsonOrUndefined} from '../../../domain/json.js';
import {AppError} from '../../../errors.js';
import {hasCode} from '../../errors/system-error.js';
import {ownerOnly} from '../credentials-file.js';
import {Reservation} from '../notes.js';

/** Bytes that a row may write before its outcome is on disk: two lines here, and its credentials file. */
const roomOfRow = {lines: 8 * 1024, file: 8 * 1024} as const;

/**
 * By what the room is extended. Line feeds: a line of which the power failure let only parts reach the disk is
 * then no JSON.
 */
const extension = Buffer.alloc(256 * 1024, '\n');

/** The length in bytes at which the journal is to be cleared: some ten thousand rows. */
const longest = 16 * 1024 * 1024;

/** A plain name, as a list has it: nothing outside the directory is written. */
const FileName = z.string().check(z.regex(/^[^./\\\0][^/\\\0]*$/));

/** One line: what is to be done for a credentials file, or what it holds (base64); null for nothing. */
const Line = z.union([
  z.object({file: FileName, reservation: z.nullable(Reservation)}),
  z.object({file: FileName, content: z.string()}),
]);
type Line = z.infer<typeof Line>;

/** The last that is known about a file: an activation in progress, or the whole content of the file. */
export type Entry = {readonly reservation: Reservation} | {readonly content: Buffer};

/**
 * What happens to all rows in one file, so that one sync makes it durable for many of them: before a token is
 * used, the token; after it, the credentials. Lines are written into room that is taken in advance, which spares
 * most syncs the journal of the file system, and rows the surprise of a full disk.
 */
export class Journal {
  readonly #file: number;
  readonly #sync: () => Promise<void>;
  readonly #entries: Map<string, Entry>;
  #placed: string[] = [];
  /** The end of the lines and of the file, in bytes. */
  #end: number;
  #size: number;
  #rows = 0;
  #onIdle: (() => void) | undefined;

  /**
   * Opens the journal, with what a killed run left.
   *
   * @throws AppError `usage` for a file that others may have written or can read; the system's error
   */
  constructor(path: string) {
    this.#file = openOwn(path, constants.O_RDWR | constants.O_CREAT);
    this.#sync = sharedSync(() => syncData(this.#file));
    const bytes = readFileSync(this.#file);
    this.#end = bytes.length;
    this.#size = bytes.length;
    this.#entries = entriesOf(bytes.toString());
  }

  /** What only the journal has, by the name of the credentials file. */
  get entries(): ReadonlyMap<string, Entry> {
    return this.#entries;
  }

  /** The files that hold what the journal has of them, and may not be durable. */
  get placed(): readonly string[] {
    return this.#placed;
  }

  /** Whether it is to be cleared before further rows begin. */
  get isLong(): boolean {
    return this.#end >= longest;
  }

  /**
   * Takes room for the lines and the file of a row. Each call needs one of `leave`.
   *
   * @throws the system's error when the disk is full
   */
  enter(): void {
    const needed = this.#end + (this.#rows + 1) * (roomOfRow.lines + roomOfRow.file);
    // A part of the extension is enough for the last rows on a disk that becomes full.
    while (this.#size < needed) {
      this.#size += writeSync(this.#file, extension, 0, extension.length, this.#size);
    }
    this.#rows += 1;
  }

  /** A row is over. */
  leave(): void {
    this.#rows -= 1;
    if (this.#rows === 0) this.#onIdle?.();
  }

  /** Resolves once no row is in progress. */
  idle(): Promise<void> {
    if (this.#rows === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** On a full disk: leaves the room for the files to them, and keeps that for lines. */
  yieldRoom(): void {
    const kept = this.#end + this.#rows * roomOfRow.lines;
    if (kept >= this.#size) return;
    ftruncateSync(this.#file, kept);
    this.#size = kept;
  }

  /** Saves durably what a later run needs to finish an activation. */
  async begin(file: string, reservation: Reservation): Promise<void> {
    this.#write({file, reservation});
    this.#entries.set(file, {reservation});
    await this.#sync();
  }

  /** Saves the credentials durably, before their file exists. */
  async finish(file: string, content: Buffer): Promise<void> {
    this.#write({file, content: content.toString('base64')});
    this.#entries.set(file, {content});
    await this.#sync();
  }

  /** The file of the credentials holds them. */
  place(file: string): void {
    if (this.#entries.delete(file)) this.#placed.push(file);
  }

  /** An activation did not happen. */
  settle(file: string): void {
    if (this.#entries.delete(file)) this.#write({file, reservation: null});
  }

  /** Forgets everything: it is elsewhere, and durable. */
  clear(): void {
    ftruncateSync(this.#file);
    this.#end = 0;
    this.#size = 0;
    this.#entries.clear();
    this.#placed = [];
  }

  close(): void {
    closeSync(this.#file);
  }

  /** A full disk, or a kill, may have cut the line before. */
  #write(line: Line): void {
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    let written = 0;
    while (written < bytes.length) {
      const rest = bytes.length - written;
      written += writeSync(this.#file, bytes, written, rest, this.#end + written);
    }
    // The next line replaces the last line feed.
    this.#end += bytes.length - 1;
    this.#size = Math.max(this.#size, this.#end + 1);
  }
}

/**
 * What a run that was killed left in its journal, by the name of the credentials file; empty without a journal.
 *
 * @throws AppError `usage` and the system's error, as the constructor of `Journal`
 */
export function readJournal(path: string): ReadonlyMap<string, Entry> {
  try {
    const file = openOwn(path, constants.O_RDONLY);
    try {
      return entriesOf(readFileSync(file, 'utf8'));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return new Map();
    throw error;
  }
}

function openOwn(path: string, access: number): number {
  const {O_NOFOLLOW, O_NONBLOCK} = constants;
  let file: number;
  try {
    // A named pipe would block.
    file = openSync(path, access | O_NOFOLLOW | O_NONBLOCK, ownerOnly);
  } catch (error) {
    throw hasCode(error, 'ELOOP', 'EISDIR') ? notOurs(path) : error;
  }
  const stats = fstatSync(file);
  const user = process.geteuid?.();
  const isOurs = user === undefined || (stats.uid === user && (stats.mode & 0o077) === 0);
  if (stats.isFile() && isOurs) return file;
  closeSync(file);
  throw notOurs(path);
}

function notOurs(path: string): AppError {
  return new AppError('usage', `${path} is not a file that only you can read and write.`, {
    hint: 'Another user may have put it there. Look at it and remove it, then run this command again.',
  });
}

const syncData = promisify(fdatasync);

const dueCallbacks = promisify(setImmediate);

function entriesOf(text: string): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const line of text.split('\n')) {
    // The room that no row has used is hundreds of thousands of them.
    if (line === '') continue;
    const read = Line.safeParse(jsonOrUndefined(line)).data;
    if (read === undefined) continue;
    if ('content' in read) found.set(read.file, {content: Buffer.from(read.content, 'base64')});
    else if (read.reservation === null) found.delete(read.file);
    else found.set(read.file, {reservation: read.reservation});
  }
  return found;
}

/**
 * Shares one sync among all callers that wait for one: it begins after their calls, and after the callbacks
 * that are due, which may call too. To hand a sync to its thread costs as much as all of a row's file calls.
 */
export function sharedSync(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = async () => {
    await running?.catch(() => undefined);
    await dueCallbacks();
    next = undefined;
    running = sync();
    await running.finally(() => {
      running = undefined;
    });
  };
  return () => {
    next ??= start();
    return next;
  };
}
