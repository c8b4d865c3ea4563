import {AppError} from '../../errors.js';
import {type Clock, systemClock} from '../../system/clock.js';
import type {LockOwner} from '../../system/lock-owner.js';
import {ProcessLock, patience} from '../../system/process-lock.js';
import {escapeControl} from '../../terminal/escape.js';
import {writeMessage} from '../../terminal/streams.js';
import {type CredentialsFiles, cannotWrite} from './files.js';

/** The reason of the error for a file that another process activates into. */
export const busyReason = 'busy';

/** What to lock. */
interface LockRequest {
  readonly files: CredentialsFiles;
  /** What this process activates, shown in other processes' messages. */
  readonly label: string;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Waits for other processes that activate into the same file.
 *
 * @throws AppError `unavailable` when one does not end in time, `cancelled`, `usage` for a directory that cannot be
 * written
 */
export async function lockCredentials(request: LockRequest): Promise<ProcessLock> {
  const {label, signal, clock = systemClock} = request;
  const {path, disk} = request.files;
  const deadline = clock.now() + patience;
  let isWaiting = false;
  const wait = (owner: LockOwner) => {
    if (clock.now() > deadline) throw busy(path, owner);
    if (!isWaiting)
      writeMessage(`Process ${owner.pid} is activating into ${path}; waiting for it.`);
    isWaiting = true;
  };
  try {
    return await ProcessLock.acquire(path, {label, wait, signal, clock, files: disk});
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (signal.aborted) throw new AppError('cancelled', 'Canceled; nothing was sent.');
    throw cannotWrite(path, error);
  }
}

function busy(path: string, {pid, host, label}: LockOwner): AppError {
  return new AppError(
    'unavailable',
    `Process ${pid} on ${escapeControl(host)} is activating ${escapeControl(label)} into ${path}; nothing was sent.`,
    {
      reason: busyReason,
      hint: 'Wait until it ends, or choose another file with --credentials-file PATH.',
    },
  );
}
