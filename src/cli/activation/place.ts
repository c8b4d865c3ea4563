import {constants} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import {basename, dirname} from 'node:path';
import {AppError} from '../../errors.js';
import {moveIntoPlace, ownerOnly} from '../../system/durable-file.js';
import type {Files} from '../../system/files.js';
import {LockLostError} from '../../system/process-lock.js';
import {distrust, othersAccess} from '../../system/trust.js';
import {hasCode, reasonOf, writeHint} from '../errors/system-error.js';
import {
  type Content,
  contentIn,
  isSameActivation,
  type Reservation,
  textOf,
  type UsableReservation,
} from './credentials.js';
import {CredentialsDirectory} from './credentials-directory.js';

/** Bytes that are reserved in case the disk fills up: for the credentials, and for what another run needs. */
const reserved = {credentials: 32 * 1024, record: 1024} as const;

/** The path of an unfinished activation, beside its credentials file. */
export const pendingPath = (path: string) => `${path}.pending`;

const draftPath = (path: string) => `${pendingPath(path)}-draft`;

/** The paths that an activation uses beside its credentials file. */
export const pathsBeside = (path: string) => [pendingPath(path), draftPath(path)];

/** Bytes that the longest of these names has more than the credentials file. */
export const longestSuffix = draftPath('').length;

/** The disk did not take a file before the token was used. */
export class CannotReserve extends Error {
  readonly error: AppError;

  constructor(path: string, cause: unknown) {
    super('cannot write');
    const message = `Cannot write ${path}: ${reasonOf(cause)}. Nothing was sent.`;
    this.error = new AppError('usage', message, {
      hint: `${writeHint(cause, '--credentials-file or --credentials-dir')} Then run the same command again.`,
      cause,
    });
  }
}

/** What is at the path of a credentials file, and beside it. */
export interface Found {
  readonly placed: Content;
  readonly pending: Content;
}

/**
 * The files of one activation. `FILE.pending` holds what another run needs to finish it, from before the
 * token is used. The response goes into a draft, whose room is reserved before too; the draft replaces
 * `FILE.pending` as a whole and is then moved to the path. So each file is complete at any moment, and a
 * draft counts for nothing unless it is complete.
 */
export class Place {
  readonly path: string;
  readonly pending: string;
  readonly #draft: string;
  readonly #directory: CredentialsDirectory;
  readonly #disk: Files;
  #room: FileHandle | undefined;
  /** The pending file, until it is recorded what another run needs. */
  #record: FileHandle | undefined;
  #hasPending = false;

  constructor(path: string, directory = new CredentialsDirectory(dirname(path), {})) {
    this.path = path;
    this.pending = pendingPath(path);
    this.#draft = draftPath(path);
    this.#directory = directory;
    this.#disk = directory.disk;
  }

  /** Looks at the files without changing them. @param follows whether the credentials may be behind a link */
  async inspect({follows = false} = {}): Promise<Found> {
    // In the order in which they appear: another run may move the one to the other.
    const pending = await this.#ownContentOf(this.pending);
    return {placed: await this.#contentOf(this.path, {follows}), pending};
  }

  /**
   * Ends what a killed run left half done, and looks. Only the process that holds the lock may call this
   * and the methods below.
   *
   * @throws CannotReserve, or LockLostError
   */
  async recover(options: {readonly follows?: boolean} = {}): Promise<Found> {
    try {
      await this.#directory.requireHeld();
      await this.#recoverDraft();
      const found = await this.inspect(options);
      const {placed, pending} = found;
      const isLeftOver = pending.kind === 'partial' || isSameActivation(placed, pending);
      if (isLeftOver) await this.#remove(this.pending);
      this.#hasPending = !isLeftOver && pending.kind !== 'absent';
      return isLeftOver ? {placed, pending: {kind: 'absent'}} : found;
    } catch (error) {
      throw this.#cannotReserve(error);
    }
  }

  /** Checks that no other process can have the lock. @throws CannotReserve, or LockLostError */
  async requireHeld(): Promise<void> {
    await this.#directory.requireHeld().catch((error: unknown) => {
      throw this.#cannotReserve(error);
    });
  }

  #cannotReserve(error: unknown): Error {
    if (error instanceof LockLostError || error instanceof CannotReserve) return error;
    return new CannotReserve(this.path, error);
  }

  async #recoverDraft(): Promise<void> {
    const draft = await this.#ownContentOf(this.#draft);
    if (draft.kind === 'absent') return;
    const isComplete = draft.kind === 'credentials';
    if (isComplete && isSameActivation(draft, await this.#ownContentOf(this.pending))) {
      const file = await this.#disk.open(this.#draft, 'r+');
      await this.#publish(file).finally(() => file.close());
    } else {
      await this.#remove(this.#draft).catch((error: unknown) => {
        throw new CannotReserve(this.#draft, error);
      });
    }
  }

  /** Takes room on the disk. Each call needs one of `leave` or `release`. @throws as `recover` */
  async reserve(): Promise<void> {
    try {
      await this.#directory.requireHeld();
      await this.#takeRoom();
    } catch (error) {
      await this.leave();
      throw this.#cannotReserve(error);
    }
  }

  async #takeRoom(): Promise<void> {
    this.#room = await this.#disk.open(this.#draft, 'wx', ownerOnly);
    await this.#room.writeFile(Buffer.alloc(reserved.credentials, ' '));
    if (this.#hasPending) return;
    this.#record = await this.#disk.open(this.pending, 'wx', ownerOnly);
    await this.#record.writeFile(Buffer.alloc(reserved.record, ' '));
  }

  /** Saves durably what another run needs to finish the activation. @throws as `recover` */
  async record(reservation: UsableReservation): Promise<void> {
    const record = this.#record;
    if (record === undefined) throw new Error('nothing is reserved');
    try {
      await this.#directory.requireHeld();
      // The rest of the room is white space, as JSON allows.
      await overwrite(record, Buffer.from(textOf(reservation)));
      await this.#makeDurable(record);
      this.#record = undefined;
    } catch (error) {
      await this.release();
      throw this.#cannotReserve(error);
    }
  }

  /** The same for a reservation of an earlier run, which may have been killed before it was durable. */
  async keepRecord(): Promise<void> {
    try {
      const {O_RDWR, O_NOFOLLOW} = constants;
      await this.#makeDurable(await this.#disk.open(this.pending, O_RDWR | O_NOFOLLOW));
    } catch (error) {
      await this.leave();
      throw new CannotReserve(this.path, error);
    }
  }

  async #makeDurable(file: FileHandle): Promise<void> {
    try {
      await Promise.all([file.sync(), this.#directory.sync()]);
    } finally {
      await file.close();
    }
  }

  /**
   * Saves the credentials durably at the path.
   *
   * @param replaces whether an existing file may be replaced
   * @throws AppError `usage`; the hint says where the credentials are, or how to get them. LockLostError
   */
  async commit(content: Uint8Array, replaces: boolean): Promise<void> {
    const existing = replaces
      ? await this.#disk.lstat(this.path).catch(() => undefined)
      : undefined;
    const file = await this.#replacePending(content);
    try {
      await this.finish(replaces);
      // Only root can give a file away, and some file systems have no owners. The process that reads it keeps its access.
      if (existing !== undefined) await file.chown(existing.uid, existing.gid).catch(() => {});
    } finally {
      await file.close();
    }
  }

  /** Replaces the reservation by what is known since. @throws AppError `usage`, or LockLostError */
  async amend(reservation: Reservation): Promise<void> {
    const file = await this.#replacePending(Buffer.from(textOf(reservation)));
    await file.close();
  }

  /** @returns the file, still open */
  async #replacePending(content: Uint8Array): Promise<FileHandle> {
    const room = this.#room;
    if (room === undefined) throw new Error('nothing is reserved');
    try {
      await overwrite(room, content);
      await room.truncate(content.length);
      await this.#publish(room);
      this.#room = undefined;
      return room;
    } catch (error) {
      await this.leave();
      if (error instanceof LockLostError) throw error;
      const hint = (await this.#exists(this.pending))
        ? 'The connector is activated. Fix the problem and run the same command again; it returns the same credentials.'
        : `The connector is activated, and ${this.pending} is gone: no later run can get its credentials. Look for it with: connectorctl connector list`;
      throw this.#cannotSave(error, hint);
    }
  }

  #cannotSave(cause: unknown, hint: string): AppError {
    return new AppError('usage', `Cannot write ${this.path}: ${reasonOf(cause)}.`, {hint, cause});
  }

  async #exists(path: string): Promise<boolean> {
    return this.#disk.lstat(path).then(
      () => true,
      () => false,
    );
  }

  /** Makes a complete draft durable, and the content of the pending file. */
  async #publish(draft: FileHandle): Promise<void> {
    await draft.sync();
    await this.#directory.requireHeld();
    if (!(await this.#isAt(draft, this.#draft))) {
      throw new LockLostError(`another process replaced ${this.#draft}`);
    }
    await this.#disk.rename(this.#draft, this.pending);
  }

  async #isAt(file: FileHandle, path: string): Promise<boolean> {
    const [own, found] = await Promise.all([file.stat(), this.#disk.lstat(path)]);
    return own.ino === found.ino && own.dev === found.dev;
  }

  /** Moves complete credentials to the path. @throws AppError `usage`, or LockLostError */
  async finish(replaces: boolean): Promise<void> {
    try {
      await this.#directory.requireHeld();
      await moveIntoPlace(this.#disk, this.pending, this.path, !replaces);
      await this.#directory.sync();
    } catch (error) {
      if (error instanceof LockLostError) throw error;
      const hint = (await this.#exists(this.pending))
        ? `The connector is activated, and its credentials are in ${this.pending}. Move that file to its place, or fix the problem and run the same command again.`
        : `The connector is activated, and its credentials are in ${this.path}. A power failure may still lose them: copy them elsewhere.`;
      throw this.#cannotSave(error, hint);
    }
  }

  /** Ends this run's part of an activation: what is recorded remains for another run. */
  async leave(): Promise<void> {
    const left = [
      {file: this.#room, path: this.#draft},
      {file: this.#record, path: this.pending},
    ];
    this.#room = undefined;
    this.#record = undefined;
    for (const {file, path} of left) {
      if (file === undefined) continue;
      const isOwn = (await this.#isHeld()) && (await this.#isAt(file, path).catch(() => false));
      if (isOwn) await this.#remove(path).catch(() => undefined);
      await file.close().catch(() => undefined);
    }
  }

  /** Removes an activation that did not happen. */
  async release(): Promise<void> {
    await this.leave();
    if (await this.#isHeld()) await this.#remove(this.pending).catch(() => undefined);
    this.#hasPending = false;
  }

  async #isHeld(): Promise<boolean> {
    return this.#directory.requireHeld().then(
      () => true,
      () => false,
    );
  }

  async #remove(path: string): Promise<void> {
    await this.#disk.unlink(path).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
  }

  /** A file that another user put beside the credentials is not used: it would choose the token. */
  #ownContentOf(path: string): Promise<Content> {
    return this.#contentOf(path, {isOwn: true});
  }

  async #contentOf(
    path: string,
    {follows = false, isOwn = false}: {readonly follows?: boolean; readonly isOwn?: boolean},
  ): Promise<Content> {
    if (!this.#directory.mayHave(basename(path))) return {kind: 'absent'};
    try {
      const found = await (follows ? this.#disk.stat(path) : this.#disk.lstat(path));
      // Reading a pipe without a writer would block, and a device may have no end.
      if (!found.isFile() && !found.isDirectory()) {
        const what = found.isFIFO() ? 'a named pipe' : 'not a regular file';
        return {kind: 'unusable', reason: `it is ${what}`};
      }
      const reason = isOwn ? distrust(found, othersAccess.none) : undefined;
      if (reason !== undefined) return {kind: 'unusable', reason};
      return contentIn(await this.#disk.readFile(path));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return {kind: 'absent'};
      return {kind: 'unusable', reason: reasonOf(error)};
    }
  }
}

/** The error for a credentials file that cannot be read. */
export function unreadable(path: string, reason: string): AppError {
  return new AppError('usage', `Cannot read ${path}: ${reason}.`, {
    hint: 'Choose another file with --credentials-file PATH.',
  });
}

/** Writes into the room that a file has already, from its start. */
async function overwrite(file: FileHandle, content: Uint8Array): Promise<void> {
  for (let written = 0; written < content.length; ) {
    const {bytesWritten} = await file.write(content, written, content.length - written, written);
    written += bytesWritten;
  }
}
