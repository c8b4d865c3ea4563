import {link, lstat, open, readFile, rename, rm, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';
import {AppError} from '../errors.js';
import {syncDirectory} from '../sync-directory.js';
import {hasCode, reasonOf} from './system-error.js';

/** What an activation leaves for the machine that it activated. Readable by its owner alone. */
const Credentials = z.object({
  base_url: z.string(),
  connector_id: z.nullable(z.string()),
  name: z.string(),
  /** The connector's own credential; null where the service made none. */
  api_key: z.nullable(z.string()),
  /** Tells the same activation run again from another one. */
  token_hash: z.string(),
  activated_at: z.string(),
});
export type Credentials = z.infer<typeof Credentials>;

/** An activation under way: kept until its outcome is known, so that a later run can finish it. */
const Reservation = z.object({
  base_url: z.string(),
  name: z.string(),
  token_hash: z.string(),
  idempotency_key: z.string(),
});
export type Reservation = z.infer<typeof Reservation>;

const ownerOnly = 0o600;

/** Bytes that a reservation takes, so that a disk that fills up meanwhile has room for credentials. */
const reservedBytes = 16 * 1024;

/** Where an activation that is not finished is kept, beside the file that it will become. */
export const pendingPath = (path: string) => `${path}.pending`;

/** What is at a credentials file's place, and beside it. */
export interface CredentialsPlace {
  /** Whether there is anything at all at the path. */
  readonly taken: boolean;
  readonly credentials: Credentials | undefined;
  /** The credentials of an activation whose last step was interrupted. */
  readonly unplaced: Credentials | undefined;
  /** An activation whose outcome is not known. */
  readonly reservation: Reservation | undefined;
}

/** @throws AppError `usage` when it cannot be read */
export async function inspectCredentials(path: string): Promise<CredentialsPlace> {
  const pending = await readJson(pendingPath(path));
  return {
    taken: await exists(path),
    credentials: parse(Credentials, await readJson(path)),
    unplaced: parse(Credentials, pending),
    reservation: parse(Reservation, pending),
  };
}

/**
 * Reads a credentials file. One whose last step was interrupted lies complete beside its place and
 * is put there first.
 *
 * @returns undefined when there is no such file, or another file is in its place
 * @throws AppError `usage` when it cannot be read
 */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  const {taken, credentials, unplaced} = await inspectCredentials(path);
  if (taken || unplaced === undefined) return credentials;
  await placeCredentials(path, false);
  return unplaced;
}

/**
 * Reserves the credentials file before the token is spent: a folder that cannot be written must
 * cost nothing.
 *
 * @returns the reservation that counts: that of another run with the same token, made meanwhile
 * @throws AppError `usage` when the folder cannot be written
 */
export async function reserveCredentials(path: string, wanted: Reservation): Promise<Reservation> {
  const pending = pendingPath(path);
  try {
    const text = textOf(wanted).padEnd(reservedBytes);
    if (await createFile(pending, text)) return wanted;
    const other = parse(Reservation, await readJson(pending));
    if (other?.token_hash === wanted.token_hash) return other;
    await replaceFile(pending, text);
    return wanted;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('usage', `Cannot write ${pending}: ${reasonOf(error)}. Nothing was sent.`, {
      hint: 'Name a file in a folder that you may write, with --credentials-file PATH.',
      cause: error,
    });
  }
}

/** Forgets a reservation whose activation was refused. */
export async function releaseCredentials(path: string): Promise<void> {
  await rm(pendingPath(path), {force: true});
}

/**
 * Turns the reservation into the credentials file, durably and never half.
 *
 * @param replace whether a file that is already there may be replaced
 * @throws AppError `usage` when it cannot; it says how to get at the credentials
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
      hint: 'The connector is activated. Mend this and run the same command again: it asks for the same answer.',
      cause: error,
    });
  }
  await placeCredentials(path, replace);
}

/** Puts credentials that lie complete beside their place there. @throws AppError `usage` */
export async function placeCredentials(path: string, replace: boolean): Promise<void> {
  const pending = pendingPath(path);
  try {
    if (replace) {
      await rename(pending, path);
    } else {
      // Unlike a rename, a link never replaces.
      await link(pending, path);
      await rm(pending);
    }
    await syncDirectory({open}, dirname(path));
  } catch (error) {
    throw new AppError('usage', `Cannot write ${path}: ${reasonOf(error)}.`, {
      hint: `The connector is activated, and its credentials are in ${pending}. To have them put in place, run the same command again with --force.`,
      cause: error,
    });
  }
}

/** Writes a file that is not there yet; false when it is. */
async function createFile(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', ownerOnly);
    try {
      await file.writeFile(text);
      await file.sync();
    } catch (error) {
      await rm(path, {force: true});
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  await syncDirectory({open}, dirname(path));
  return true;
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFileAtomic(path, text, {mode: ownerOnly});
  await syncDirectory({open}, dirname(path));
}

/**
 * Writes into the room of a reservation, where no other is to be had.
 *
 * @throws `reason` when it does not fit; the reservation is then as it was
 */
async function fillReservation(path: string, text: string, reason: unknown): Promise<void> {
  const file = await open(path, 'r+');
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

function textOf(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

async function exists(path: string): Promise<boolean> {
  // Not what a link leads to: one that leads nowhere is in the way too.
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The file's JSON, null where it holds none, undefined where there is no file. */
async function readJson(path: string): Promise<unknown> {
  try {
    // A named pipe that nobody writes to would hold the process for ever.
    if ((await stat(path)).isFIFO()) throw new Error('it is a named pipe');
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new AppError('usage', `Cannot read ${path}: ${reasonOf(error)}.`, {
      hint: 'Name another file with --credentials-file PATH.',
      cause: error,
    });
  }
}

function parse<T>(schema: z.ZodMiniType<T>, json: unknown): T | undefined {
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}
