import type {Stats} from 'node:fs';
import {AppError} from '../../errors.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {type Files, nodeFiles, ownerOnly, writeDurably} from '../../system/durable-file.js';
import {type LockOwner, lockTimeout, ProcessLock} from '../../system/process-lock.js';
import {hasCode, reasonOf, writeHint} from '../../system/system-error.js';
import {distrust, othersAccess} from '../../system/trusted-files.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Io} from '../../terminal/io.js';
import {type Content, type Credentials, contentIn, textOf, type Unfinished} from './credentials.js';

/** The reason of the error for a file that cannot be written. */
export const cannotWriteReason = 'credentials-not-written';

/** The reason of the error for a file that another process activates into. */
export const busyReason = 'busy';

/**
 * A credentials file, and beside it `FILE.pending` with an unfinished activation. Each is written as a draft, synced
 * and renamed, so it is whole at any moment.
 */
export class CredentialsFiles {
  readonly path: string;
  readonly pending: string;
  readonly disk: Files;

  constructor(path: string, disk: Files = nodeFiles) {
    this.path = path;
    this.pending = `${path}.pending`;
    this.disk = disk;
  }

  /**
   * Locks the file against other processes that activate into it, and waits for them.
   *
   * @param label what this process activates, for other processes' messages
   * @throws AppError `unavailable` when one of them does not end in time, `cancelled`, `usage` for a directory that
   * cannot be written
   */
  async lock(
    label: string,
    {signal, io}: {readonly signal: AbortSignal; readonly io: Pick<Io, 'noteOnce'>},
    clock: Clock = systemClock,
  ): Promise<ProcessLock> {
    const deadline = clock.now() + lockTimeout;
    const wait = (owner: LockOwner) => {
      if (clock.now() > deadline) throw busy(this.path, owner);
      io.noteOnce(`Process ${owner.pid} is activating into ${this.path}; waiting for it.`);
    };
    try {
      return await ProcessLock.acquire(this.path, {label, wait, signal, clock, files: this.disk});
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (signal.aborted) throw new AppError('cancelled', 'Canceled; nothing was sent.');
      throw cannotWrite(this.path, error);
    }
  }

  /** Reads both files, the pending one first: another run removes it once the credentials file is complete. */
  async read(): Promise<{readonly file: Content; readonly pending: Content}> {
    const pending = await this.#readFile(this.pending, pendingFault);
    return {pending, file: await this.#readFile(this.path)};
  }

  async #readFile(path: string, faultOf?: (found: Stats) => string | undefined): Promise<Content> {
    try {
      const entry = await this.disk.lstat(path);
      const fault = faultOf?.(entry);
      if (fault !== undefined) return {kind: 'unusable', reason: fault};
      const found = entry.isSymbolicLink() ? await this.#target(path) : entry;
      if (found === undefined) {
        return {kind: 'other', what: 'is a link to a file that does not exist'};
      }
      // Reading a pipe without a writer would block, and a device may have no end.
      if (!found.isFile() && !found.isDirectory()) {
        const what = found.isFIFO() ? 'a named pipe' : 'not a regular file';
        return {kind: 'unusable', reason: `it is ${what}`};
      }
      return contentIn(await this.disk.readFile(path, 'utf8'));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return {kind: 'absent'};
      return {kind: 'unusable', reason: reasonOf(error)};
    }
  }

  /** The target of a link. One below `/dev` never counts as a file: `/dev/stdout` may be redirected to one. */
  async #target(path: string): Promise<Stats | undefined> {
    return this.disk.stat(path.startsWith('/dev/') ? '/dev/null' : path).catch((error) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
  }

  /** Saves the token and the idempotency key for a later run, before the request. @throws AppError `usage` */
  async savePending(unfinished: Unfinished): Promise<void> {
    await this.#write(this.pending, textOf(unfinished)).catch((error: unknown) => {
      throw cannotWrite(this.path, error);
    });
  }

  /**
   * Saves the credentials at the path, or else in the pending file. The new file gets the owner and mode of
   * the credentials that it replaces.
   *
   * @param replaces the content that may be replaced; undefined: no file may be replaced
   * @throws AppError `usage` that says where the credentials are, or how to get them
   */
  async saveCredentials(credentials: Credentials, replaces: Content | undefined): Promise<void> {
    const text = textOf(credentials);
    try {
      const existing = await this.disk.lstat(this.path).catch(() => undefined);
      if (existing !== undefined && replaces === undefined) throw existsMeanwhile();
      await this.#write(this.path, text, existing, replaces?.kind === 'credentials');
    } catch (error) {
      const hint = await this.#write(this.pending, text).then(
        () =>
          `The connector is activated, and its credentials are in ${this.pending}. Move that file to its place, or fix the problem and run the same command again.`,
        () =>
          'The connector is activated. Fix the problem and run the same command again; it returns the same credentials, if the service supports Idempotency-Key.',
      );
      const message = `Cannot write ${this.path}: ${reasonOf(error)}.`;
      const options = {hint, cause: error, reason: cannotWriteReason, outcomeUnknown: true};
      throw new AppError('usage', message, options);
    }
  }

  async #write(path: string, text: string, existing?: Stats, keepsMode = false): Promise<void> {
    const replaces = existing?.isSymbolicLink() ? undefined : existing;
    await writeDurably(this.disk, path, text, {
      draft: `${this.pending}.tmp`,
      mode: keepsMode && replaces ? replaces.mode & 0o777 : ownerOnly,
      replaces,
    });
  }

  /** Removes the pending file of an activation that is finished or did not happen. */
  async removePending(): Promise<void> {
    await this.disk.rm(this.pending, {force: true});
  }
}

/** The reason not to use a pending file; undefined without one. Another user's file would choose the token. */
function pendingFault(found: Stats): string | undefined {
  return found.isSymbolicLink() ? 'it is a link' : distrust(found, othersAccess.none);
}

const existsMeanwhile = () =>
  Object.assign(new Error('it was created meanwhile'), {code: 'EEXIST'});

function busy(path: string, {pid, host, label}: LockOwner): AppError {
  const message = `Process ${pid} on ${escapeControl(host)} is activating ${escapeControl(label)} into ${path}; nothing was sent.`;
  return new AppError('unavailable', message, {
    reason: busyReason,
    hint: 'Wait until it ends, or choose another file with --credentials-file PATH.',
  });
}

/** The error for a file that cannot be written; no request has been sent yet. */
export function cannotWrite(path: string, cause: unknown): AppError {
  const message = `Cannot write ${path}: ${reasonOf(cause)}. Nothing was sent.`;
  return new AppError('usage', message, {
    hint: `${writeHint(cause, '--credentials-file or --credentials-dir')} Then run the same command again.`,
    reason: cannotWriteReason,
    cause,
  });
}
