import {ProcessLock} from '../../system/process-lock.js';
import {type Credentials, isSameActivation} from './credentials.js';
import {Place, unreadable} from './place.js';

/**
 * Reads a credentials file. If the last step of its activation was interrupted, it first moves the
 * complete file to its path, unless an activation is running there.
 *
 * @returns undefined when the file does not exist or is not a credentials file
 * @throws AppError `usage` when it cannot be read
 */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  const place = new Place(path);
  const {placed, pending} = await place.inspect({follows: true});
  if (placed.kind === 'unusable') throw unreadable(path, placed.reason);
  if (placed.kind === 'credentials') return placed.credentials;
  if (placed.kind !== 'absent' || pending.kind !== 'credentials') return undefined;
  await whenIdle(path, async () => {
    const found = await place.recover({follows: true});
    if (found.placed.kind === 'absent' && isSameActivation(found.pending, pending)) {
      await place.finish(false);
    }
  });
  return pending.credentials;
}

/** Tidies up beside a complete file, unless another process is at it or the directory cannot be written. */
export async function whenIdle(path: string, use: () => Promise<void>): Promise<void> {
  const wait = () => {
    throw new Error('an activation is running');
  };
  try {
    const lock = await ProcessLock.acquire(path, {label: 'earlier credentials', wait});
    try {
      await use();
    } finally {
      await lock.release();
    }
  } catch {
    // The credentials are complete: the next activation does it.
  }
}
