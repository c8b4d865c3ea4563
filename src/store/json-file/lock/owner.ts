import process from 'node:process';
import * as z from 'zod/mini';
import {errorCode} from '../../../node-errors.js';
import type {Files} from '../files.js';
import {isPresent} from './liveness-socket.js';

/**
 * A process that holds a lock. `socket` names its presence in the store's directory. Where there can be
 * none, `started` (the kernel's own start time in clock ticks since boot) and `boot` tell it apart
 * from any other that gets the same pid later. Null where the system does not tell.
 */
export const LockOwner = z.object({
  pid: z.int(),
  socket: z.nullable(z.string()),
  started: z.nullable(z.string()),
  boot: z.nullable(z.string()),
});
export type LockOwner = z.infer<typeof LockOwner>;

/** The text of a file; null when it is not there. */
export async function readIfThere(files: Files, path: string): Promise<string | null> {
  try {
    return await files.readFile(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended between the opening and the reading of its file in /proc.
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

/** This process. */
export async function describeSelf(files: Files, socket: string | null): Promise<LockOwner> {
  const stat = await processStat(files, process.pid);
  return {
    pid: process.pid,
    socket,
    started: stat?.started ?? null,
    boot: await bootId(files),
  };
}

/** Whether a holder still runs. */
export async function isAlive(
  files: Files,
  directory: string,
  holder: LockOwner,
): Promise<boolean> {
  if (holder.socket !== null) return isPresent(files, directory, holder.socket);
  if (holder.boot !== null && holder.boot !== (await bootId(files))) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  const stat = await processStat(files, holder.pid);
  if (stat === null || holder.started === null) return true;
  // A zombie has ended; only its parent has not asked yet.
  return stat.started === holder.started && stat.state !== 'Z' && stat.state !== 'X';
}
