import {closeSync, constants, fsync, ftruncateSync, openSync, rmSync, writeSync} from 'node:fs';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {AppError} from '../../../errors.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {
  Credentials,
  moveWithoutReplacing,
  ownerOnly,
  pendingPath,
  textOf,
} from '../credentials-file.js';
import {Reservation} from '../notes.js';
import {Journal, journalName, sharedSync} from './journal.js';

/** Bytes that a row reserves before its token exists: room for the credentials should the disk fill up. */
const reservedBytes = 8 * 1024;

const blanks = Buffer.alloc(reservedBytes, ' ');

/** Waits for the disk. All other calls below end in the cache of the system, sooner than a thread wakes up. */
const syncFile = promisify(fsync);

/** What an encrypted file begins with (age-encryption.org/v1). */
const ageMagic = Buffer.from('age-encryption.org/v1\n');

/** What a file beside the list of machines holds. */
type Content =
  | {readonly kind: 'absent'}
  /** Reserved space: nothing was sent. */
  | {readonly kind: 'blank'}
  | {readonly kind: 'reservation'; readonly reservation: Reservation}
  | {readonly kind: 'credentials'; readonly credentials: Credentials}
  | {readonly kind: 'encrypted'}
  | {readonly kind: 'other'};

const absent: Content = {kind: 'absent'};

/** A local failure that every further row would meet as well, such as a full disk. Nothing was sent. */
export class LocalFailure extends Error {
  readonly error: AppError;

  constructor(path: string, cause: unknown) {
    super('cannot write');
    this.error = new AppError('usage', `Cannot write ${path}: ${reasonOf(cause)}.`, {
      hint: 'Free some space, or make the directory writable; then run the same command again.',
      cause,
    });
  }
}

/** The directory of the credentials files. */
export class CredentialsDirectory {
  readonly path: string;
  /** What was there at first; later only rows add files, each its own. */
  readonly #names: ReadonlySet<string>;

  protected constructor(path: string, names: readonly string[]) {
    this.path = path;
    this.#names = new Set(names);
  }

  /** The directory for looking only; it may not exist. */
  static async look(path: string): Promise<CredentialsDirectory> {
    return new CredentialsDirectory(path, await readdir(path).catch(() => []));
  }

  /** Whether an earlier run left a file of this name. */
  had(name: string): boolean {
    return this.#names.has(name);
  }
}

/** The same with the means to write into it, for the process that holds its lock. */
export class WritableDirectory extends CredentialsDirectory {
  readonly journal: Journal;
  /** Makes new names durable, with one sync for all rows that wait for one: it begins after the call. */
  readonly sync: () => Promise<void>;
  readonly #file: number;

  private constructor(path: string, names: readonly string[], file: number, journal: Journal) {
    super(path, names);
    this.journal = journal;
    this.#file = file;
    this.sync = sharedSync(() => syncFile(file));
  }

  /** Opens the directory, with what a killed run left. */
  static async open(path: string): Promise<WritableDirectory> {
    const file = openSync(path, 'r');
    const journal = new Journal(join(path, journalName));
    await unfold(path, journal);
    await syncFile(file);
    journal.clear();
    return new WritableDirectory(path, await readdir(path), file, journal);
  }

  /** Leaves the unfinished activations of this run to the next one. */
  async close(): Promise<void> {
    try {
      await unfold(this.path, this.journal);
      await this.sync();
      rmSync(join(this.path, journalName), {force: true});
    } finally {
      this.journal.close();
      closeSync(this.#file);
    }
  }
}

/**
 * Gives each unfinished activation of the journal a file of its own, beside the path of its credentials.
 * What is there may be a part of the credentials.
 */
async function unfold(directory: string, {unfinished}: Journal): Promise<void> {
  for (const [name, reservation] of unfinished) {
    const path = join(directory, name);
    const isOf = (found: Content) =>
      found.kind === 'credentials' && found.credentials.token_hash === reservation.token_hash;
    const placed = await contentOf(path);
    if (placed.kind === 'encrypted' || isOf(placed)) continue;
    if (isOf(await contentOf(pendingPath(path)))) continue;
    const {O_WRONLY, O_CREAT, O_NOFOLLOW} = constants;
    const file = openSync(pendingPath(path), O_WRONLY | O_CREAT | O_NOFOLLOW, ownerOnly);
    try {
      // The blanks keep the room for the credentials.
      const text = Buffer.from(textOf(reservation).padEnd(reservedBytes));
      writeSync(file, text, 0, text.length, 0);
      ftruncateSync(file, text.length);
      await syncFile(file);
    } finally {
      closeSync(file);
    }
  }
}

/** The files of one row: its credentials, and beside them the unfinished activation. */
export class Place {
  readonly path: string;
  readonly pending: string;
  readonly #directory: CredentialsDirectory;
  readonly #name: string;

  constructor(directory: CredentialsDirectory, name: string) {
    this.path = join(directory.path, name);
    this.pending = pendingPath(this.path);
    this.#directory = directory;
    this.#name = name;
  }

  /** What is at the path of the credentials, and what an earlier run left beside it. */
  async inspect(): Promise<{readonly placed: Content; readonly pending: Content}> {
    return {
      placed: this.#directory.had(this.#name) ? await contentOf(this.path) : absent,
      pending: this.hadPending ? await contentOf(this.pending) : absent,
    };
  }

  protected get hadPending(): boolean {
    return this.#directory.had(pendingPath(this.#name));
  }
}

/** The same with the means to change them. */
export class WritablePlace extends Place {
  readonly #directory: WritableDirectory;
  readonly #name: string;
  #file: number | undefined;

  constructor(directory: WritableDirectory, name: string) {
    super(directory, name);
    this.#directory = directory;
    this.#name = name;
  }

  /** Takes room on the disk, before a token is created that nobody could save. @throws LocalFailure */
  reserve(): void {
    try {
      if (this.hadPending) rmSync(this.pending, {force: true});
      this.#file = openSync(this.pending, 'wx+', ownerOnly);
      writeSync(this.#file, blanks, 0, reservedBytes, 0);
    } catch (error) {
      this.#removeBlanks();
      throw new LocalFailure(this.pending, error);
    }
  }

  /** Saves durably what a later run needs to finish the activation. @throws LocalFailure */
  async record(reservation: Reservation): Promise<void> {
    try {
      await this.#directory.journal.begin(this.#name, reservation);
    } catch (error) {
      throw new LocalFailure(join(this.#directory.path, journalName), error);
    }
  }

  /** Removes an activation that did not happen. */
  release(): void {
    this.close();
    try {
      this.#directory.journal.settle(this.#name);
    } finally {
      rmSync(this.pending, {force: true});
    }
  }

  /**
   * Saves the credentials durably under their path, and removes the unfinished activation.
   *
   * @throws AppError `usage`; the unfinished activation is then still there, or the credentials are
   */
  async commit(content: Buffer): Promise<void> {
    try {
      this.#file ??= openSync(this.pending, constants.O_RDWR | constants.O_NOFOLLOW);
      writeSync(this.#file, content, 0, content.length, 0);
      ftruncateSync(this.#file, content.length);
      await syncFile(this.#file);
      this.close();
      this.#directory.journal.settle(this.#name);
    } catch (error) {
      throw new AppError('usage', `Cannot write ${this.pending}: ${reasonOf(error)}.`, {
        hint: 'The connector is activated. Fix the problem and run the same command again.',
        cause: error,
      });
    }
    await this.finish();
  }

  /** Moves complete credentials to their path. @throws AppError `usage` */
  async finish(): Promise<void> {
    try {
      moveWithoutReplacing(this.pending, this.path);
      await this.#directory.sync();
    } catch (error) {
      throw new AppError('usage', `Cannot write ${this.path}: ${reasonOf(error)}.`, {
        hint: `The connector is activated, and its credentials are in ${this.pending}.`,
        cause: error,
      });
    }
  }

  /** Removes the room that was taken. That even this fails says less than the error that led here. */
  #removeBlanks(): void {
    try {
      if (this.#file !== undefined) rmSync(this.pending, {force: true});
    } catch {}
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }
}

/** Reads a file without following a link. */
async function contentOf(path: string): Promise<Content> {
  let bytes: Buffer;
  try {
    // A named pipe without a writer would block.
    bytes = await readFile(path, {
      flag: constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    });
  } catch (error) {
    return {kind: hasCode(error, 'ENOENT') ? 'absent' : 'other'};
  }
  if (bytes.subarray(0, ageMagic.length).equals(ageMagic)) return {kind: 'encrypted'};
  const text = bytes.toString('utf8').trim();
  if (text === '') return {kind: 'blank'};
  const json = parsed(text);
  const credentials = Credentials.safeParse(json);
  if (credentials.success) return {kind: 'credentials', credentials: credentials.data};
  const reservation = Reservation.safeParse(json);
  return reservation.success
    ? {kind: 'reservation', reservation: reservation.data}
    : {kind: 'other'};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
