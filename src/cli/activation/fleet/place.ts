import {closeSync, openSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {AppError} from '../../../errors.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {moveWithoutReplacing, ownerOnly, pendingPath} from '../credentials-file.js';
import {journalName} from '../credentials-place.js';
import type {Reservation} from '../notes.js';
import {absent, type Content, contentOf, type Found} from './content.js';
import {type CredentialsDirectory, LocalFailure, type WritableDirectory} from './directory.js';
import {withEntry, writeWhole} from './recovery.js';

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

  /** What is at the path that the credentials have with a recipient, or without one. */
  async inspectOther(): Promise<{readonly path: string; readonly content: Content}> {
    const name = this.#name.endsWith('.age')
      ? this.#name.slice(0, -'.age'.length)
      : `${this.#name}.age`;
    const path = join(this.#directory.path, name);
    return {path, content: this.#directory.had(name) ? await contentOf(path) : absent};
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
