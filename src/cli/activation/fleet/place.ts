import {constants} from 'node:fs';
import {type FileHandle, open, readdir, readFile, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
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

/** Bytes that a row reserves before its token exists: room for the credentials should the disk fill up. */
const reservedBytes = 8 * 1024;

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

/** The directory of the credentials files, of which this process holds the lock. */
export class CredentialsDirectory {
  readonly path: string;
  /** What was there when the lock was acquired; later only rows add files, each its own. */
  readonly #names: ReadonlySet<string>;
  readonly #handle: FileHandle | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  private constructor(path: string, names: readonly string[], handle: FileHandle | undefined) {
    this.path = path;
    this.#names = new Set(names);
    this.#handle = handle;
  }

  /** Opens the directory, and finishes what a killed run left in drafts. */
  static async open(path: string): Promise<CredentialsDirectory> {
    await recoverDrafts(path);
    return new CredentialsDirectory(path, await readdir(path), await open(path, 'r'));
  }

  /** The directory for looking only; it may not exist. */
  static async look(path: string): Promise<CredentialsDirectory> {
    return new CredentialsDirectory(path, await readdir(path).catch(() => []), undefined);
  }

  /** Whether an earlier run left a file of this name. */
  had(name: string): boolean {
    return this.#names.has(name);
  }

  /** Makes new names durable, with one sync for all rows that wait for one: it begins after the call. */
  sync(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #start(): Promise<void> {
    this.#running = this.#handle?.sync();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }
}

/**
 * The files of one row: its credentials, and beside them the unfinished activation. Only the process that
 * holds the lock of the directory may change them.
 */
export class Place {
  readonly path: string;
  readonly pending: string;
  readonly #directory: CredentialsDirectory;
  readonly #name: string;
  #file: FileHandle | undefined;

  constructor(directory: CredentialsDirectory, name: string) {
    this.path = join(directory.path, name);
    this.pending = pendingPath(this.path);
    this.#directory = directory;
    this.#name = name;
  }

  /** What is at the path of the credentials, and what an earlier run left beside it. */
  async inspect(): Promise<{readonly placed: Content; readonly pending: Content}> {
    const read = async (name: string, path: string): Promise<Content> =>
      this.#directory.had(name) ? contentOf(path) : {kind: 'absent'};
    const [placed, pending] = await Promise.all([
      read(this.#name, this.path),
      read(pendingPath(this.#name), this.pending),
    ]);
    return {placed, pending};
  }

  /** Takes room on the disk, before a token is created that nobody could save. @throws LocalFailure */
  async reserve(): Promise<void> {
    try {
      if (this.#directory.had(pendingPath(this.#name))) await rm(this.pending, {force: true});
      this.#file = await open(this.pending, 'wx+', ownerOnly);
      await this.#file.write(Buffer.alloc(reservedBytes, ' '), 0, reservedBytes, 0);
    } catch (error) {
      await this.release().catch(() => undefined);
      throw new LocalFailure(this.pending, error);
    }
  }

  /** Saves durably what a later run needs to finish the activation. @throws LocalFailure */
  async record(reservation: Reservation): Promise<void> {
    try {
      const file = await this.#open();
      // The blanks replace what an earlier reservation had more.
      const text = textOf(reservation).padEnd(reservedBytes);
      await file.write(text, 0);
      await Promise.all([file.sync(), this.#directory.sync()]);
    } catch (error) {
      throw new LocalFailure(this.pending, error);
    }
  }

  /** Removes an activation that did not happen. */
  async release(): Promise<void> {
    await this.close();
    await rm(this.pending, {force: true});
  }

  /**
   * Saves the credentials durably under their path, and removes the unfinished activation.
   *
   * @throws AppError `usage`; the unfinished activation is then still there, or holds the credentials
   */
  async commit(content: Buffer): Promise<void> {
    try {
      await this.#replace(content).catch((error) => this.#fill(content, error));
    } catch (error) {
      await this.close();
      throw new AppError('usage', `Cannot write ${this.pending}: ${reasonOf(error)}.`, {
        hint: 'The connector is activated. Fix the problem and run the same command again.',
        cause: error,
      });
    }
    await this.close();
    await this.finish();
  }

  /** Moves complete credentials to their path. @throws AppError `usage` */
  async finish(): Promise<void> {
    try {
      await moveWithoutReplacing(this.pending, this.path);
      await this.#directory.sync();
    } catch (error) {
      throw new AppError('usage', `Cannot write ${this.path}: ${reasonOf(error)}.`, {
        hint: `The connector is activated, and its credentials are in ${this.pending}.`,
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #open(): Promise<FileHandle> {
    this.#file ??= await open(this.pending, constants.O_RDWR | constants.O_NOFOLLOW);
    return this.#file;
  }

  /** Atomically: until the new content is on disk, the idempotency key is. */
  async #replace(content: Buffer): Promise<void> {
    const draft = `${this.pending}${draftSuffix}`;
    try {
      const file = await open(draft, 'wx', ownerOnly);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.pending);
    } catch (error) {
      await rm(draft, {force: true}).catch(() => undefined);
      throw error;
    }
  }

  /** In place, into the reserved room. @throws `reason` when the content does not fit */
  async #fill(content: Buffer, reason: unknown): Promise<void> {
    const file = await this.#open();
    const {size} = await file.stat();
    if (content.length > size) throw reason;
    await file.write(content, 0, content.length, 0);
    await file.truncate(content.length);
    await file.sync();
  }
}

const draftSuffix = '-draft';

/**
 * Finishes drafts that a killed run left: one whose content is complete may be the only copy of a
 * credential. An incomplete one is removed; the file that it was to replace is still there.
 */
async function recoverDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith(pendingPath('') + draftSuffix)) continue;
    const draft = join(directory, name);
    const {kind} = await contentOf(draft);
    if (kind === 'credentials') await rename(draft, draft.slice(0, -draftSuffix.length));
    else await rm(draft, {force: true});
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
