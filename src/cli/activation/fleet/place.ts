import {closeSync, constants, fsync, ftruncateSync, openSync, rmSync, writeSync} from 'node:fs';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {jsonOrUndefined} from '../../../domain/json.js';
import {AppError} from '../../../errors.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {
  Credentials,
  moveWithoutReplacing,
  ownerOnly,
  pendingPath,
  textOf,
} from '../credentials-file.js';
import {journalName} from '../credentials-place.js';
import {Reservation} from '../notes.js';
import {type Entry, Journal, readJournal, sharedSync} from './journal.js';

/** Bytes of the file of an unfinished activation: they keep room for the credentials. */
const reservedBytes = 8 * 1024;

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
  /** Not of this command, unless it cannot be read: then `unreadable` says why. */
  | {readonly kind: 'other'; readonly unreadable?: string};

const absent: Content = {kind: 'absent'};

/** What is at the path of the credentials, and what an earlier run left beside it. */
interface Found {
  readonly placed: Content;
  readonly pending: Content;
}

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
  /** What the journal of a killed run still has, by the name of the credentials file. */
  readonly unfinished: ReadonlyMap<string, Entry>;

  protected constructor(
    path: string,
    names: readonly string[],
    unfinished: ReadonlyMap<string, Entry> = new Map(),
  ) {
    this.path = path;
    this.#names = new Set(names);
    this.unfinished = unfinished;
  }

  /**
   * The directory for looking only; it may not exist.
   *
   * @throws AppError `usage` for a journal of another user; the system's error
   */
  static async look(path: string): Promise<CredentialsDirectory> {
    const names = await readdir(path).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const journal = join(path, journalName);
    try {
      return new CredentialsDirectory(path, names, readJournal(journal));
    } catch (error) {
      throw error instanceof AppError ? error : new LocalFailure(journal, error).error;
    }
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
  #clearing: Promise<void> | undefined;

  private constructor(path: string, names: readonly string[], file: number, journal: Journal) {
    super(path, names);
    this.journal = journal;
    this.#file = file;
    this.sync = sharedSync(() => syncFile(file));
  }

  /** Opens the directory, with what a killed run left. @throws AppError `usage` when there is no room for it */
  static async open(path: string): Promise<WritableDirectory> {
    const file = openSync(path, 'r');
    let journal: Journal | undefined;
    try {
      journal = new Journal(join(path, journalName));
      await clear(path, journal, () => syncFile(file));
      return new WritableDirectory(path, await readdir(path), file, journal);
    } catch (error) {
      journal?.close();
      closeSync(file);
      if (error instanceof AppError) throw error;
      throw new LocalFailure(journal === undefined ? join(path, journalName) : path, error).error;
    }
  }

  /** Takes room for a row; between rows it clears a long journal. @throws the system's error */
  async enter(): Promise<void> {
    while (this.journal.isLong) {
      this.#clearing ??= this.journal
        .idle()
        .then(() => clear(this.path, this.journal, this.sync))
        .finally(() => {
          this.#clearing = undefined;
        });
      await this.#clearing;
    }
    this.journal.enter();
  }

  /**
   * Leaves the unfinished activations of this run to the next one.
   *
   * @returns why the journal, which then remains, still has to do that
   */
  async close(): Promise<AppError | undefined> {
    try {
      this.journal.yieldRoom();
      await clear(this.path, this.journal, this.sync);
      rmSync(join(this.path, journalName), {force: true});
      return undefined;
    } catch (error) {
      return new LocalFailure(this.path, error).error;
    } finally {
      this.journal.close();
      closeSync(this.#file);
    }
  }
}

/** Files that are read or synced at a time. */
const parallel = 16;

/** Clears the journal once everything in it is durable elsewhere. */
async function clear(
  directory: string,
  journal: Journal,
  syncDirectory: () => Promise<void>,
): Promise<void> {
  await forEach([...journal.entries], async ([name, entry]) => {
    const path = join(directory, name);
    if ('content' in entry) {
      if (await restore(path, entry.content)) journal.place(name);
    } else {
      await unfold(path, entry.reservation);
    }
  });
  await forEach(journal.placed, (name) => syncIfThere(join(directory, name)));
  await syncDirectory();
  journal.clear();
}

async function forEach<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await use(item);
  };
  await Promise.all(Array.from({length: parallel}, work));
}

/** The file may already have been moved to its machine. */
async function syncIfThere(path: string): Promise<void> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes credentials of which a kill, a power failure or a full disk may have left a part at their path. Where
 * there is anything else, they go beside it.
 *
 * @returns whether they are at their path
 */
async function restore(path: string, content: Buffer): Promise<boolean> {
  const found = await bytesOf(path);
  if (isReplaceable(found, content)) {
    if (found === undefined || !found.equals(content)) await replaceBytes(path, content);
    await removeUnfinished(pendingPath(path));
    return true;
  }
  await replaceBytes(pendingPath(path), content);
  return false;
}

/** What `restore` and `unfold` will make of the files. */
async function withEntry(found: Found, path: string, entry: Entry): Promise<Found> {
  if ('reservation' in entry) {
    const {reservation} = entry;
    return holds(found, reservation)
      ? found
      : {...found, pending: {kind: 'reservation', reservation}};
  }
  const content = contentIn(entry.content);
  return isReplaceable(await bytesOf(path), entry.content)
    ? {...found, placed: content}
    : {...found, pending: content};
}

/** Whether the credentials of a reservation's token are there; encrypted ones are taken for them. */
function holds({placed, pending}: Found, {token_hash: hash}: Reservation): boolean {
  if (placed.kind === 'encrypted') return true;
  return [placed, pending].some(
    (content) => content.kind === 'credentials' && content.credentials.token_hash === hash,
  );
}

/**
 * Whether there is no file, or what a kill or a power failure left of a content: its beginning, of which the
 * file system may have kept zeros.
 */
function isReplaceable(
  found: Buffer | Unreadable | undefined,
  content: Buffer,
): found is Buffer | undefined {
  if (found === undefined) return true;
  return (
    Buffer.isBuffer(found) &&
    found.length <= content.length &&
    found.every((byte, index) => byte === 0 || byte === content[index])
  );
}

/** Removes what an earlier run left beside credentials that are now at their path. */
async function removeUnfinished(pending: string): Promise<void> {
  const {kind} = await contentOf(pending);
  if (kind === 'blank' || kind === 'reservation') rmSync(pending, {force: true});
}

/**
 * Gives the unfinished activation of the journal a file of its own, beside the path of its credentials.
 * What is there may be a part of the credentials.
 */
async function unfold(path: string, reservation: Reservation): Promise<void> {
  const found = {placed: await contentOf(path), pending: await contentOf(pendingPath(path))};
  if (holds(found, reservation)) return;
  // The blanks keep the room for the credentials.
  await replaceBytes(pendingPath(path), Buffer.from(textOf(reservation).padEnd(reservedBytes)));
}

/** Writes a file, in its place if it is there, and durably. */
async function replaceBytes(path: string, bytes: Buffer): Promise<void> {
  const {O_WRONLY, O_CREAT, O_NOFOLLOW} = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW, ownerOnly);
  try {
    writeWhole(file, bytes);
    ftruncateSync(file, bytes.length);
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/** A full disk may accept a part; only the next write fails. */
function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(file, bytes, written, bytes.length - written, written);
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
  async inspect(): Promise<Found> {
    const found = {
      placed: this.#directory.had(this.#name) ? await contentOf(this.path) : absent,
      pending: this.hadPending ? await contentOf(this.pending) : absent,
    };
    const entry = this.#directory.unfinished.get(this.#name);
    return entry === undefined ? found : withEntry(found, this.path, entry);
  }

  protected get hadPending(): boolean {
    return this.#directory.had(pendingPath(this.#name));
  }
}

/** The same with the means to change them. */
export class WritablePlace extends Place {
  readonly #directory: WritableDirectory;
  readonly #name: string;
  #hasRoom = false;

  constructor(directory: WritableDirectory, name: string) {
    super(directory, name);
    this.#directory = directory;
    this.#name = name;
  }

  /** Takes room on the disk before a token is created, which could not be saved otherwise. @throws LocalFailure */
  async reserve(): Promise<void> {
    if (this.#hasRoom) return;
    try {
      await this.#directory.enter();
    } catch (error) {
      throw this.#journalFailure(error);
    }
    this.#hasRoom = true;
  }

  /** Saves durably what a later run needs to finish the activation. @throws LocalFailure */
  async record(reservation: Reservation): Promise<void> {
    try {
      await this.#directory.journal.begin(this.#name, reservation);
    } catch (error) {
      throw this.#journalFailure(error);
    }
  }

  #journalFailure(error: unknown): LocalFailure {
    return new LocalFailure(join(this.#directory.path, journalName), error);
  }

  /** Removes an activation that did not happen. */
  release(): void {
    try {
      this.#directory.journal.settle(this.#name);
    } finally {
      this.#removePending();
    }
  }

  /**
   * Saves the credentials durably, and writes their file.
   *
   * @throws AppError `usage`; the next run then finishes the activation
   */
  async commit(content: Buffer): Promise<void> {
    const {journal, path} = this.#directory;
    try {
      await journal.finish(this.#name, content);
    } catch (error) {
      throw cannotFinish(join(path, journalName), error);
    }
    try {
      try {
        this.#create(content);
      } catch (error) {
        if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error;
        journal.yieldRoom();
        this.#create(content);
      }
      journal.place(this.#name);
      this.#removePending();
    } catch (error) {
      throw cannotFinish(this.path, error);
    }
  }

  /** Not through a file of another name: should this be interrupted, the next run has the journal. */
  #create(content: Buffer): void {
    const file = openSync(this.path, 'wx', ownerOnly);
    try {
      writeWhole(file, content);
    } catch (error) {
      rmSync(this.path, {force: true});
      throw error;
    } finally {
      closeSync(file);
    }
  }

  #removePending(): void {
    if (this.hadPending) rmSync(this.pending, {force: true});
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

  close(): void {
    if (this.#hasRoom) this.#directory.journal.leave();
    this.#hasRoom = false;
  }
}

function cannotFinish(path: string, cause: unknown): AppError {
  return new AppError('usage', `Cannot write ${path}: ${reasonOf(cause)}.`, {
    hint: 'The connector is activated. Fix the problem and run the same command again.',
    cause,
  });
}

/** What cannot be read as a file. */
interface Unreadable {
  /** Undefined for what is no file. */
  readonly unreadable: string | undefined;
}

/** A file, without following a link; undefined when there is none. */
async function bytesOf(path: string): Promise<Buffer | Unreadable | undefined> {
  try {
    // A named pipe without a writer would block.
    return await readFile(path, {
      flag: constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    // A link, a directory, or a socket.
    const isNoFile = hasCode(error, 'ELOOP', 'EISDIR', 'ENXIO');
    return {unreadable: isNoFile ? undefined : reasonOf(error)};
  }
}

async function contentOf(path: string): Promise<Content> {
  const bytes = await bytesOf(path);
  if (bytes === undefined) return absent;
  if (Buffer.isBuffer(bytes)) return contentIn(bytes);
  const {unreadable} = bytes;
  return unreadable === undefined ? {kind: 'other'} : {kind: 'other', unreadable};
}

function contentIn(bytes: Buffer): Content {
  if (bytes.subarray(0, ageMagic.length).equals(ageMagic)) return {kind: 'encrypted'};
  const text = bytes.toString('utf8').trim();
  if (text === '') return {kind: 'blank'};
  const json = jsonOrUndefined(text);
  const credentials = Credentials.safeParse(json);
  if (credentials.success) return {kind: 'credentials', credentials: credentials.data};
  const reservation = Reservation.safeParse(json);
  return reservation.success
    ? {kind: 'reservation', reservation: reservation.data}
    : {kind: 'other'};
}
