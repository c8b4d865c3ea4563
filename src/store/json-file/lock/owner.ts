import process from 'node:process';
import * as z from 'zod/mini';
import {errorCode} from '../../../node-errors.js';
import type {Files} from '../files.js';
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

/** State and start time of a process: fields 3 and 22 of /proc/PID/stat (proc(5)). */
async function processStat(
  files: Files,
  pid: number,
): Promise<{state: string | undefined; started: string | undefined} | null> {
  const text = await readIfThere(files, `/proc/${pid}/stat`);
  if (text === null) return null;
  // Field 2 is the command in parentheses, and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {state: fields[0], started: fields[19]};
}

async function bootId(files: Files): Promise<string | null> {
  return (await readIfThere(files, '/proc/sys/kernel/random/boot_id'))?.trim() ?? null;
}

/** This process as the owner of a lock. */
export async function describeSelf(files: Files, socket: string | null): Promise<LockOwner> {
  const stat = await processStat(files, process.pid);
  return {
    pid: process.pid,
    socket,
    started: stat?.started ?? null,
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
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  const stat = await processStat(files, owner.pid);
  if (stat === null || owner.started === null) return true;
  // A zombie has ended, but its parent has not collected its status.
  return stat.started === owner.started && stat.state !== 'Z' && stat.state !== 'X';
}
