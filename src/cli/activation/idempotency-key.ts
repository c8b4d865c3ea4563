import {createHmac, randomBytes, randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {writeDurably} from '../../system/durable-file.js';
import {nodeFiles} from '../../system/files.js';
import {makeDirectory} from '../../system/make-directory.js';
import {othersAccess} from '../../system/trust.js';
import {readTrusted} from '../../system/trusted-files.js';
import {homeDirectory, type UserDirectory, userDirectory} from '../../system/user-directories.js';
import {hasCode, reasonOf} from '../errors/system-error.js';

/** The idempotency key of an activation without a credentials file. */
export interface IdempotencyKey {
  readonly key: string;
  /** What makes another run with the same token use another key; undefined if it will use the same. */
  readonly unrepeatable: string | undefined;
}

const secretBytes = 32;

const secretName = 'idempotency-secret';

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
  const directory = userDirectory('state', process.env);
  // A service account may have no home directory, and must not get one.
  if (directory.base === homeDirectory(process.env) && !existsSync(directory.base)) {
    throw new Error('there is no home directory');
  }
  try {
    return readSecret(directory);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  await makeDirectory(directory.path);
  const path = join(directory.path, secretName);
  // Of two processes that make it at the same time, both then read the secret of one.
  await writeDurably(nodeFiles, path, randomBytes(secretBytes), {exclusive: true}).catch(
    (error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    },
  );
  return readSecret(directory);
}

function readSecret(directory: UserDirectory): Buffer {
  const secret = readTrusted(directory, secretName, othersAccess.any);
  if (secret.length === secretBytes) return secret;
  throw new Error(`${join(directory.path, secretName)} is damaged`);
}
