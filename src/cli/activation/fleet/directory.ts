import {closeSync, openSync, rmSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../../../errors.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {journalName} from '../credentials-place.js';
import {type Entry, Journal, readJournal, sharedSync} from './journal.js';
import {clearJournal, syncFile} from './recovery.js';

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
      await clearJournal(path, journal, () => syncFile(file));
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
        .then(() => clearJournal(this.path, this.journal, this.sync))
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
      await clearJournal(this.path, this.journal, this.sync);
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
