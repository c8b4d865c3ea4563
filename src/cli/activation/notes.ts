import {randomUUID} from 'node:crypto';
import {readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {isAbsolute, join} from 'node:path';
import * as z from 'zod/mini';
import {tokenRetentionDays} from '../../domain/activation.js';
import {day} from '../../domain/time.js';
import {makeDirectory} from '../../system/make-directory.js';
import {hasCode} from '../errors/system-error.js';

/** What a later run needs to finish an activation: the idempotency key, and the name of the first run. */
export const Reservation = z.object({
  base_url: z.string(),
  name: z.string(),
  token_hash: z.string(),
  idempotency_key: z.string(),
  /** Only with `--from`, which creates a token for each machine: no copy of it exists elsewhere. */
  token: z.optional(z.string()),
  /** The token was used, and the response is lost for good. */
  lost: z.optional(z.literal(true)),
});
export type Reservation = z.infer<typeof Reservation>;

/** An activation before it is sent. */
export interface Attempt {
  readonly idempotencyKey: string;
  /** The name of the first run. */
  readonly name: string;
  /** An earlier run may have activated the connector. */
  readonly resumed: boolean;
  /** The same command can finish this attempt. */
  readonly canResume: boolean;
  /** Must be called once the outcome is known and cannot be lost any more. */
  readonly forget: () => Promise<void>;
}

/** Milliseconds that a note is kept: no service is known to keep a token longer. */
const keptFor = tokenRetentionDays * day;

/** The user's state directory: XDG Base Directory Specification, `%LOCALAPPDATA%` on Windows. */
async function stateDirectory(): Promise<string> {
  const {XDG_STATE_HOME: chosen, LOCALAPPDATA: local} = process.env;
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, 'connectorctl');
  if (process.platform === 'win32' && local) return join(local, 'connectorctl', 'State');
  const home = homedir();
  // A service account may have no home directory, and must not get one.
  await stat(home);
  return join(home, '.local', 'state', 'connectorctl');
}

/**
 * Saves the idempotency key of an activation under the hash of its token, before it is sent. After a lost
 * response the same command gets the same response. If it cannot be saved, the activation continues.
 */
export async function noteActivation(
  wanted: Omit<Reservation, 'idempotency_key'>,
): Promise<Attempt> {
  const fresh = {...wanted, idempotency_key: randomUUID()};
  try {
    const directory = join(await stateDirectory(), 'activations');
    await makeDirectory(directory);
    await removeOldNotes(directory);
    const path = join(directory, `${wanted.token_hash}.json`);
    const forget = () => rm(path, {force: true}).catch(() => undefined);
    const noted = (await create(path, fresh)) ? fresh : await readNote(path, wanted.token_hash);
    if (noted === undefined) await writeFile(path, textOf(fresh));
    const {idempotency_key: idempotencyKey, name} = noted ?? fresh;
    const resumed = noted !== undefined && noted !== fresh;
    return {idempotencyKey, name, resumed, canResume: true, forget};
  } catch {
    return {
      idempotencyKey: fresh.idempotency_key,
      name: wanted.name,
      resumed: false,
      canResume: false,
      forget: async () => undefined,
    };
  }
}

const textOf = (note: Reservation) => `${JSON.stringify(note, null, 2)}\n`;

/** Creates a note; false when it exists. */
async function create(path: string, note: Reservation): Promise<boolean> {
  try {
    await writeFile(path, textOf(note), {flag: 'wx', flush: true, mode: 0o600});
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Undefined when the note is damaged. */
async function readNote(path: string, tokenHash: string): Promise<Reservation | undefined> {
  const text = await readFile(path, 'utf8');
  try {
    const note = Reservation.parse(JSON.parse(text));
    return note.token_hash === tokenHash ? note : undefined;
  } catch {
    return undefined;
  }
}

async function removeOldNotes(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    // Another process may have removed it.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > keptFor) await rm(path, {force: true});
  }
}
