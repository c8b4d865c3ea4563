import {join} from 'node:path';
import {AppError} from '../../errors.js';
import {escapeControl} from '../../render/escape.js';
import type {LockOwner} from '../../system/lock-owner.js';
import {type LockLostError, ProcessLock, patience} from '../../system/process-lock.js';
import {writeMessage} from '../terminal/streams.js';

/** How to wait for another process that activates into the same file, however long that takes. */
export interface Waiting {
  /** Called from time to time while it does. */
  readonly onWait: (owner: LockOwner) => void;
}

/** What to lock, and how to speak of it. */
interface LockRequest {
  /** The file, or the directory whose files are all locked. */
  readonly path: string;
  readonly scope: 'directory' | 'file';
  /** What this process activates, shown in other processes' messages. */
  readonly label: string;
  /** What to do when another process does not end. */
  readonly hint: string;
  readonly signal: AbortSignal;
  /** Undefined: for `patience`. */
  readonly waiting?: Waiting | undefined;
  /** The error for a directory that cannot be written. */
  readonly cannotWrite: (error: unknown) => AppError;
}

/**
 * Waits for other processes that activate into the same file or directory.
 *
 * @throws AppError `unavailable` when one does not end in time, `cancelled`, and what `cannotWrite` returns
 */
export async function lockCredentials(request: LockRequest): Promise<ProcessLock> {
  const {path, scope, label, signal, waiting, cannotWrite} = request;
  const deadline = performance.now() + patience;
  let isWaiting = false;
  const wait = (owner: LockOwner) => {
    if (waiting !== undefined) return waiting.onWait(owner);
    if (performance.now() > deadline) throw busy(request, owner);
    if (!isWaiting)
      writeMessage(`Process ${owner.pid} is activating into ${path}; waiting for it.`);
    isWaiting = true;
  };
  try {
    const target = scope === 'directory' ? join(path, '.connectorctl') : path;
    return await ProcessLock.acquire(target, {label, wait, signal});
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (signal.aborted) throw new AppError('cancelled', 'Canceled; nothing was sent.');
    throw cannotWrite(error);
  }
}

/** The error for a lock that another process may have taken. */
export function lockLost(path: string, cause: LockLostError): AppError {
  return new AppError(
    'unavailable',
    `Another process may have taken over ${path} while this one was stopped (${cause.message}). This run changes no more files.`,
    {hint: 'Run the same command again: it finishes what is left.', cause},
  );
}

function busy({path, hint}: LockRequest, {pid, host, label}: LockOwner): AppError {
  return new AppError(
    'unavailable',
    `Process ${pid} on ${escapeControl(host)} is activating ${escapeControl(label)} into ${path}; nothing was sent.`,
    {reason: 'busy', hint},
  );
}
