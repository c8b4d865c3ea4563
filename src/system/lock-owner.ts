import {hostname} from 'node:os';
import process from 'node:process';
import * as z from 'zod/mini';
import type {Files} from './durable-file.js';
import {errorCode} from './system-error.js';

/** The process that holds a lock, as its lock file describes it. A value that the system does not provide is null. */
const LockOwner = z.object({
  pid: z.int(),
  host: z.string(),
  /** The activity of the process, shown in other processes' messages. */
  label: z.string(),
  /** Clock ticks from boot to the start of the process. */
  started: z.nullable(z.string()),
  boot: z.nullable(z.string()),
  pidNamespace: z.nullable(z.number()),
  /** Inode of the lock file; a copy of the file has another inode. */
  inode: z.number(),
});
export type LockOwner = z.infer<typeof LockOwner>;

/** The identity of this process, for comparison with the owner of a lock. */
type Self = Omit<LockOwner, 'inode' | 'label'>;

export async function describeSelf(files: Files): Promise<Self> {
  const stat = await readStat(files, process.pid);
  const namespace = await files.stat('/proc/self/ns/pid').catch(() => null);
  const boot = await files.readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null);
  return {
    pid: process.pid,
    host: hostname(),
    started: stat?.started ?? null,
    boot: boot?.trim() ?? null,
    pidNamespace: namespace?.ino ?? null,
  };
}

/**
 * Parses the text of a lock file. Returns an unknown owner for a text that is still incomplete, or from another
 * version.
 */
export function parseOwner(text: string): LockOwner {
  try {
    return LockOwner.parse(JSON.parse(text));
  } catch {
    const unknown = {pid: 0, started: null, boot: null, pidNamespace: null, inode: 0};
    return {...unknown, host: 'an unknown host', label: 'something else'};
  }
}

/**
 * Whether the process of an owner still runs; a later process with the same pid does not count. Undefined for an owner
 * on another machine or in another pid namespace. The host name alone does not identify a machine: a pod keeps it on
 * another node, and machines are cloned.
 */
export async function isOwnerRunning(
  files: Files,
  owner: LockOwner,
  self: Self,
): Promise<boolean | undefined> {
  const {pid, host, started, boot, pidNamespace} = owner;
  const isLocal = host === self.host && boot === self.boot && pidNamespace === self.pidNamespace;
  if (!isLocal) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  const stat = await readStat(files, pid);
  if (stat === undefined || started === null) return true;
  // A zombie has ended, but its parent has not collected its status.
  return stat.started === started && stat.state !== 'Z' && stat.state !== 'X';
}

/** The state of a process and its start time in clock ticks since boot (proc_pid_stat(5)); undefined without /proc. */
async function readStat(files: Files, pid: number) {
  const text = await files.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // Field 2 is the command in parentheses, and may hold spaces and parentheses itself.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields && {state: fields[0], started: fields[19] ?? null};
}
