import process from 'node:process';
import * as z from 'zod/mini';
import {errorCode} from '../../../system/error-codes.js';
import type {Files} from '../../../system/files.js';
import {isProcessRunning, parseProcessStat} from '../../../system/process-stat.js';
import {isListening} from './liveness-socket.js';

/**
 * A process that holds a lock. `socket` is the name of its liveness socket. Without sockets, `started`
 * (the start time in clock ticks since boot) and `boot` (the id of the boot) distinguish it from a
 * later process with the same pid. Null where the system has no such value.
 */
export const LockOwner = z.object({
  pid: z.int(),
  socket: z.nullable(z.string()),
  started: z.nullable(z.string()),
  boot: z.nullable(z.string()),
});
export type LockOwner = z.infer<typeof LockOwner>;

/** The text of a file; null when it does not exist. */
export async function readIfThere(files: Files, path: string): Promise<string | null> {
  try {
    return await files.readFile(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended after its file in /proc was opened.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null;
    throw error;
  }
}

const readStat = (files: Files, pid: number) => readIfThere(files, `/proc/${pid}/stat`);

async function bootId(files: Files): Promise<string | null> {
  return (await readIfThere(files, '/proc/sys/kernel/random/boot_id'))?.trim() ?? null;
}

/** This process as the owner of a lock. */
export async function describeSelf(files: Files, socket: string | null): Promise<LockOwner> {
  const stat = await readStat(files, process.pid);
  return {
    pid: process.pid,
    socket,
    started: stat && parseProcessStat(stat).started,
    boot: await bootId(files),
  };
}

/** Whether the owner of a lock is still running. */
export async function isRunning(
  files: Files,
  directory: string,
  owner: LockOwner,
): Promise<boolean> {
  if (owner.socket !== null) return isListening(files, directory, owner.socket);
  if (owner.boot !== null && owner.boot !== (await bootId(files))) return false;
  return isProcessRunning(owner, (pid) => readStat(files, pid));
}
