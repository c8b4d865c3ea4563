import {createHmac, randomBytes, randomUUID} from 'node:crypto';
import {constants} from 'node:fs';
import {open, stat} from 'node:fs/promises';
import {homedir} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {writeDurably} from '../../system/durable-file.js';
import {nodeFiles} from '../../system/files.js';
import {makeDirectory} from '../../system/make-directory.js';
import {hasCode, reasonOf} from '../errors/system-error.js';

/** The idempotency key of an activation without a credentials file. */
export interface IdempotencyKey {
  readonly key: string;
  /** What makes another run with the same token use another key; undefined if it will use the same. */
  readonly unrepeatable: string | undefined;
}

const secretBytes = 32;

/**
 * The key that each run of this user with the same token has, so that a lost response can be asked for again.
 * It depends on a secret: whoever finds a used token must not be able to repeat its activation.
 */
export async function idempotencyKey(token: string): Promise<IdempotencyKey> {
  try {
    const key = createHmac('sha256', await userSecret())
      .update(token)
      .digest('hex');
    return {key, unrepeatable: undefined};
  } catch (error) {
    return {key: randomUUID(), unrepeatable: reasonOf(error)};
  }
}

/** The secret of this user, made by the first run. @throws Error when there is no place for it */
async function userSecret(): Promise<Buffer> {
  const directory = await stateDirectory();
  await makeDirectory(directory);
  const path = join(directory, 'idempotency-secret');
  try {
    return await readSecret(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  // Of two processes that make it at the same time, both then read the secret of one.
  await writeDurably(nodeFiles, path, randomBytes(secretBytes), {exclusive: true}).catch(
    (error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    },
  );
  return readSecret(path);
}

/** The user's state directory: XDG Base Directory Specification, `%LOCALAPPDATA%` on Windows. */
async function stateDirectory(): Promise<string> {
  const {XDG_STATE_HOME: chosen, LOCALAPPDATA: local} = process.env;
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, 'connectorctl');
  if (process.platform === 'win32' && local) return join(local, 'connectorctl', 'State');
  const home = homedir();
  if (!isAbsolute(home)) throw new Error('there is no home directory');
  // A service account may have no home directory, and must not get one.
  await stat(home);
  return join(home, '.local', 'state', 'connectorctl');
}

async function readSecret(path: string): Promise<Buffer> {
  const {O_RDONLY, O_NOFOLLOW, O_NONBLOCK} = constants;
  const file = await open(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const {mode, uid, size} = await file.stat();
    const user = process.geteuid?.();
    if (user !== undefined && (uid !== user || (mode & 0o077) !== 0)) {
      throw new Error(`${path} is not a file that only you can read`);
    }
    if (size !== secretBytes) throw new Error(`${path} is damaged`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
