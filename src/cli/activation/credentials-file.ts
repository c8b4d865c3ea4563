import {dirname} from 'node:path';
import {ProcessLock} from '../../system/process-lock.js';
import {warnOfReaders} from '../service/secret-input.js';
import {type Credentials, isSameActivation} from './credentials.js';
import {CredentialsDirectory} from './credentials-directory.js';
import {Place, unreadable} from './place.js';

/**
 * Reads a credentials file. If the last step of its activation was interrupted, it first moves the
 * complete file to its path, unless an activation is running there.
 *
 * @returns undefined when the file does not exist or is not a credentials file
 * @throws AppError `usage` when it cannot be read
 */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  const {placed, pending} = await new Place(path).inspect({follows: true});
  if (placed.kind === 'unusable') throw unreadable(path, placed.reason);
  if (placed.kind === 'credentials') {
    warnOfReaders(path, 'the credentials');
    return placed.credentials;
  }
  if (placed.kind !== 'absent' || pending.kind !== 'credentials') return undefined;
  await whenIdle(path, async (place) => {
    const found = await place.recover({follows: true});
    if (found.placed.kind === 'absent' && isSameActivation(found.pending, pending)) {
      await place.finish(false);
    }
  });
  return pending.credentials;
}

/** Tidies up beside a complete file, unless another process holds its lock or the directory cannot be written. */
export async function whenIdle(path: string, use: (place: Place) => Promise<void>): Promise<void> {
  const wait = () => {
    throw new Error('an activation is running');
  };
  try {
    const lock = await ProcessLock.acquire(path, {label: 'earlier credentials', wait});
    try {
      const directory = new CredentialsDirectory(dirname(path), {lock});
      await use(new Place(path, directory)).finally(() => directory.close());
    } finally {
      await lock.release();
    }
  } catch {
    // The credentials are complete: the next activation does it.
  }
}
