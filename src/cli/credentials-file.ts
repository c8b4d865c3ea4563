import {link, open, readFile, rename, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';
import {AppError} from '../errors.js';

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
const PendingActivation = z.object({
  base_url: z.string(),
  name: z.string(),
  token_hash: z.string(),
  idempotency_key: z.string(),
});
export type PendingActivation = z.infer<typeof PendingActivation>;

const ownerOnly = 0o600;

/** Where an activation that is not finished is kept, beside the file that it will become. */
const pendingPath = (path: string) => `${path}.pending`;

/**
 * Reads a credentials file. One whose last step was interrupted lies complete beside its place and
 * is put there first.
 *
 * @returns undefined when there is no such file, or another file is in its place
 * @throws AppError `usage` when it cannot be read
 */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  const credentials = parse(Credentials, await readJson(path));
  if (credentials !== undefined) return credentials;
  const complete = parse(Credentials, await readJson(pendingPath(path)));
  if (complete !== undefined) await place(path, false);
  return complete;
}

/**
 * Reserves the credentials file before the token is spent: a folder that cannot be written must
 * cost nothing. The same activation run again gets the idempotency key of the first run, so that
 * an answer that was lost is answered again.
 *
 * @throws AppError `usage` when the folder cannot be written
 */
export async function reserveCredentials(
  path: string,
  wanted: PendingActivation,
): Promise<PendingActivation> {
  const earlier = parse(PendingActivation, await readJson(pendingPath(path)));
  const same =
    earlier?.token_hash === wanted.token_hash &&
    earlier.name === wanted.name &&
    earlier.base_url === wanted.base_url;
  if (same) return earlier;
  await writeDurably(pendingPath(path), wanted);
  return wanted;
}

/** Forgets a reservation whose activation was refused. */
export async function releaseCredentials(path: string): Promise<void> {
  await rm(pendingPath(path), {force: true});
}

/**
 * Turns the reservation into the credentials file, durably and never half.
 *
 * @param replace whether a file that is already there may be replaced
 * @throws AppError `usage` when it cannot; the credentials are then in the reservation, and it says so
 */
export async function commitCredentials(
  path: string,
  credentials: Credentials,
  replace: boolean,
): Promise<void> {
  await writeDurably(pendingPath(path), credentials);
  await place(path, replace);
}

async function place(path: string, replace: boolean): Promise<void> {
  const pending = pendingPath(path);
  try {
    if (replace) {
      await rename(pending, path);
    } else {
      await link(pending, path);
      await rm(pending);
    }
    await syncFolder(path);
  } catch (error) {
    throw new AppError('usage', `Cannot write ${path}: ${reasonOf(error)}`, {
      hint: `The connector is activated; its credentials are in ${pending}.`,
      cause: error,
    });
  }
}

async function writeDurably(path: string, content: unknown): Promise<void> {
  try {
    await writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`, {mode: ownerOnly});
    await syncFolder(path);
  } catch (error) {
    throw new AppError('usage', `Cannot write ${path}: ${reasonOf(error)}`, {
      hint: 'Name a file in a folder that you may write, with --credentials-file PATH.',
      cause: error,
    });
  }
}

/** A rename is durable once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The file's JSON, null where it holds none, undefined where there is no file. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new AppError('usage', `Cannot read ${path}: ${reasonOf(error)}`, {cause: error});
  }
}

function parse<T>(schema: z.ZodMiniType<T>, json: unknown): T | undefined {
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
