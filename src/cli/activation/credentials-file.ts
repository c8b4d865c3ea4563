import {randomBytes} from 'node:crypto';
import {constants, linkSync, lstatSync, renameSync, unlinkSync} from 'node:fs';
import {open, readFile, rename, rm, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../../client/read/json.js';
import type {Json} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {jsonText} from '../../render/formats/json.js';
import {syncDirectory} from '../../system/sync-directory.js';
import {hasCode, reasonOf} from '../errors/system-error.js';
import {Reservation} from './notes.js';
import {TargetLock} from './target-lock.js';

/** What an activation saves for the activated machine, readable only by its owner. */
export const Credentials = z.object({
  base_url: z.string(),
  connector_id: z.nullable(z.string()),
  name: z.string(),
  /** The name that was sent, where the service calls the connector something else. */
  requested_name: z.optional(z.string()),
  /** The connector's own credential; null when no field of the response is known to hold one. */
  api_key: z.nullable(z.string()),
  /** The whole response to the activation. Files of earlier versions have none. */
  response: z.optional(z.custom<Json>()),
  /** Distinguishes a repeated activation from another one. */
  token_hash: z.string(),
  activated_at: z.string(),
});
export type Credentials = z.infer<typeof Credentials>;

export const ownerOnly = 0o600;

/** Size of a reservation in bytes: it keeps room for the credentials in case the disk fills up. */
const reservedBytes = 64 * 1024;

/** The path of an unfinished activation, next to the credentials file. */
export const pendingPath = (path: string) => `${path}.pending`;

/** What exists at the path of a credentials file, and next to it. */
export interface CredentialsPlace {
  /** Whether anything exists at the path. */
  readonly taken: boolean;
  readonly credentials: Credentials | undefined;
  /** The credentials of an activation whose last step was interrupted. */
  readonly unplaced: Credentials | undefined;
  /** An activation whose outcome is unknown. */
  readonly reservation: Reservation | undefined;
}

/** @throws AppError `usage` when it cannot be read */
export async function inspectCredentials(path: string): Promise<CredentialsPlace> {
  const pending = await readJson(pendingPath(path));
  return {
    taken: exists(path),
    credentials: parse(Credentials, await readJson(path)),
    unplaced: parse(Credentials, pending),
    reservation: parse(Reservation, pending),
  };
}

/**
 * Reads a credentials file. If the last step of its activation was interrupted, it first moves the
 * complete file to its path, unless an activation is running there.
 *
 * @returns undefined when the file does not exist or is not a credentials file
 * @throws AppError `usage` when it cannot be read
 */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  const {taken, credentials, unplaced} = await inspectCredentials(path);
  if (taken || unplaced === undefined) return credentials;
  await placeIfIdle(path, unplaced);
  return unplaced;
}

async function placeIfIdle(path: string, {name, token_hash: tokenHash}: Credentials) {
  const busy = new Error('an activation is running');
  const giveUp = () => {
    throw busy;
  };
  try {
    const lock = await TargetLock.acquire(path, {name, tokenHash}, giveUp);
    try {
      const {taken, unplaced} = await inspectCredentials(path);
      if (!taken && unplaced !== undefined) await placeCredentials(path, false);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (error !== busy) throw error;
  }
}

/**
 * Reserves the credentials file before the token is used: an unwritable directory must not cost a token.
 * Only the process that holds the target lock may call this and the functions below.
 *
 * @throws AppError `usage` when the directory cannot be written
 */
export async function reserveCredentials(path: string, wanted: Reservation): Promise<void> {
  try {
    await replaceFile(pendingPath(path), textOf(wanted).padEnd(reservedBytes));
  } catch (error) {
    throw cannotWrite(pendingPath(path), error);
  }
}

/** The error for a file that cannot be written before anything was sent. */
export function cannotWrite(path: string, error: unknown): AppError {
  return new AppError('usage', `Cannot write ${path}: ${reasonOf(error)}. Nothing was sent.`, {
    hint: 'Choose a file in a directory that you can write to, with --credentials-file PATH.',
    cause: error,
  });
}

/** Removes a reservation whose activation was refused. */
export async function releaseCredentials(path: string): Promise<void> {
  await rm(pendingPath(path), {force: true});
}

/**
 * Replaces the reservation by the credentials file, atomically and durably.
 *
 * @param replace whether an existing file may be replaced
 * @throws AppError `usage` when it cannot; the hint says where the credentials are
 */
export async function commitCredentials(
  path: string,
  credentials: Credentials,
  replace: boolean,
): Promise<void> {
  try {
    await replaceFile(pendingPath(path), textOf(credentials)).catch((error) =>
      fillReservation(pendingPath(path), textOf(credentials), error),
    );
  } catch (error) {
    throw new AppError('usage', `Cannot write ${pendingPath(path)}: ${reasonOf(error)}.`, {
      hint: 'The connector is activated. Fix the problem and run the same command again; it returns the same credentials.',
      cause: error,
    });
  }
  await placeCredentials(path, replace);
}

/** Moves complete credentials to their path. @throws AppError `usage` */
export async function placeCredentials(path: string, replace: boolean): Promise<void> {
  const pending = pendingPath(path);
  try {
    if (replace) await rename(pending, path);
    else moveWithoutReplacing(pending, path);
    await syncDirectory({open}, dirname(path));
  } catch (error) {
    throw new AppError('usage', `Cannot write ${path}: ${reasonOf(error)}.`, {
      hint: `The connector is activated, and its credentials are in ${pending}. ${replace ? 'Move that file to its place.' : 'To move them there, run the same command again with --force.'}`,
      cause: error,
    });
  }
}

/** Unlike a rename, a hard link never replaces a file. Some file systems, such as exFAT, have no links. */
export function moveWithoutReplacing(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const isUnsupported = hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK');
    if (!isUnsupported || exists(to)) throw error;
    renameSync(from, to);
    return;
  }
  unlinkSync(from);
}

/** Writes a file next to its path and renames it. It never follows a planted link. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}-${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', ownerOnly);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, {force: true}).catch(() => undefined);
    throw error;
  }
  await syncDirectory({open}, dirname(path));
}

/**
 * Overwrites a reservation in place, for a full disk.
 *
 * @throws `reason` when the text does not fit; the reservation is then unchanged
 */
async function fillReservation(path: string, text: string, reason: unknown): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const {size} = await file.stat();
    if (Buffer.byteLength(text) > size) throw reason;
    const bytes = Buffer.alloc(size, ' ');
    bytes.write(text);
    await file.write(bytes, 0, size, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

export function textOf(content: unknown): string {
  return `${jsonText(content)}\n`;
}

function exists(path: string): boolean {
  // Not the target of a link: a dangling link is an obstacle too.
  try {
    return lstatSync(path, {throwIfNoEntry: false}) !== undefined;
  } catch {
    return false;
  }
}

/** The JSON of a file; null when it is invalid, undefined without a file. */
async function readJson(path: string): Promise<unknown> {
  try {
    // Reading a named pipe without a writer would block forever.
    const found = await stat(path);
    if (found.isFIFO()) throw new Error('it is a named pipe');
    // A device may have no end.
    if (!found.isFile() && !found.isDirectory()) return null;
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new AppError('usage', `Cannot read ${path}: ${reasonOf(error)}.`, {
      hint: 'Choose another file with --credentials-file PATH.',
      cause: error,
    });
  }
}

function parse<T>(schema: z.ZodMiniType<T>, json: unknown): T | undefined {
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}
