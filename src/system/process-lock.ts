import type {Stats} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import {hostname} from 'node:os';
import process from 'node:process';
import * as z from 'zod/mini';
import {type Clock, systemClock} from './clock.js';
import {type Files, nodeFiles, ownerOnly} from './durable-file.js';
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
 * Whether the process of an owner still runs; with /proc, a later process with the same pid does not count. Undefined
 * for an owner on another machine, in another pid namespace or before the last boot. The host name alone does not
 * identify a machine: a pod keeps it on another node, and machines are cloned.
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

/** Milliseconds between touches of a lock file, and without a touch until a remote owner counts as gone. */
const alive = {every: 1000, gone: 10_000} as const;

/** Milliseconds to wait for another process: longer than the lock of a killed remote process stays valid. */
export const lockTimeout = alive.gone + 2000;

/** The range of the random pause between attempts, in milliseconds. Two processes that collide rarely collide again. */
const pause = {min: 5, max: 95} as const;

/** Maximum size in bytes of a lock file to read; the text of a lock is shorter. */
const longestText = 4096;

interface LockRequest {
  /** The activity of this process, shown in other processes' messages. */
  readonly label: string;
  /** Called after each attempt while the owner shows signs of life: returns to try again, throws to give up. */
  readonly wait: (owner: LockOwner) => void;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  readonly files?: Files;
}

/** A lock file that this process has created. */
interface LockFile {
  /** Kept open, so that no other file gets its inode number. */
  readonly file: FileHandle;
  readonly own: Pick<Stats, 'dev' | 'ino'>;
}

/** This process has lost the lock: the lock file was removed, moved or replaced. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/**
 * A lock on a file or directory, for all processes on all machines that share it. The lock is a file beside its target,
 * created exclusively and touched every second while its owner runs. A waiting process asks the kernel whether an owner
 * on this machine runs; for any other owner it watches the touches by its own clock.
 */
export class ProcessLock {
  readonly #files: Files;
  readonly #path: string;
  readonly #created: LockFile;
  readonly #timer: NodeJS.Timeout;
  /** Whether the previous owner fell silent, and has not certainly ended: it may still finish a file call. */
  readonly followsSilentOwner: boolean;
  #lost: LockLostError | undefined;

  private constructor(files: Files, path: string, created: LockFile, followsSilentOwner: boolean) {
    this.#files = files;
    this.#path = path;
    this.#created = created;
    this.followsSilentOwner = followsSilentOwner;
    this.#timer = setInterval(() => this.#touch().catch(() => {}), alive.every).unref();
  }

  /**
   * Takes the lock, or waits for it.
   *
   * @throws the error of `wait`, the reason of the signal, or the system's error if the lock file cannot be created or
   *   read
   */
  static async acquire(target: string, request: LockRequest): Promise<ProcessLock> {
    const {files = nodeFiles, clock = systemClock, label, signal} = request;
    const path = `${target}.lock`;
    const self = await describeSelf(files);
    let seen: {version: string; since: number; isAlive: boolean} | undefined;
    let isSilent = false;
    for (;;) {
      signal?.throwIfAborted();
      const created = await create(files, path, {...self, label});
      if (created !== undefined) {
        const lock = new ProcessLock(files, path, created, isSilent);
        // If this process was suspended before it wrote the file, another process may have removed the file.
        if (await lock.#isInPlace()) return lock;
        await lock.release();
      }
      const found = await readLock(files, path);
      if (found === undefined) continue;
      const {version, owner, isCopy} = found;
      if (version !== seen?.version) {
        seen = {version, since: clock.now(), isAlive: seen !== undefined};
      }
      const isRunning = isCopy ? undefined : await isOwnerRunning(files, owner, self);
      isSilent = isRunning === undefined && clock.now() - seen.since >= alive.gone;
      if (isRunning === false || isSilent) await takeAway(path, version, request);
      else {
        if (isRunning || seen.isAlive) request.wait(owner);
        await clock.wait(pause.min + Math.random() * (pause.max - pause.min), signal);
      }
    }
  }

  /**
   * Checks that the lock file is still in place. While this process was suspended, another one may have taken the lock;
   * the directory may have been moved, or replaced by a backup.
   *
   * @throws LockLostError, now and at each later call; or the error of the check
   */
  async verifyHeld(): Promise<void> {
    this.#lost ??= (await this.#isInPlace())
      ? undefined
      : new LockLostError(`${this.#path} is no longer in place`);
    if (this.#lost !== undefined) throw this.#lost;
  }

  async #touch(): Promise<void> {
    await this.verifyHeld();
    const now = new Date();
    await this.#files.utimes(this.#path, now, now);
  }

  async #isInPlace(): Promise<boolean> {
    try {
      const {ino, dev} = await this.#files.stat(this.#path);
      const {own} = this.#created;
      return ino === own.ino && dev === own.dev;
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
      throw error;
    }
  }

  /** Never fails. If the lock file remains, another process removes it once this process has ended. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    const isInPlace = await this.#isInPlace().catch(() => false);
    if (isInPlace) await this.#files.unlink(this.#path).catch(() => {});
    await this.#created.file.close().catch(() => {});
  }
}

/** Creates a lock file; undefined if it exists. */
async function create(
  files: Files,
  path: string,
  owner: Omit<LockOwner, 'inode'>,
): Promise<LockFile | undefined> {
  let file: FileHandle;
  try {
    file = await files.open(path, 'wx', ownerOnly);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    const own = await file.stat();
    await file.writeFile(`${JSON.stringify({...owner, inode: own.ino})}\n`);
    return {file, own};
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(path).catch(() => {});
    throw error;
  }
}

/** Reads another process's lock file; undefined when it is gone. `version` changes with each touch. */
async function readLock(files: Files, path: string) {
  try {
    const found = await files.lstat(path);
    // Another user may have planted a pipe, a link or a long file.
    const isText = found.isFile() && found.size <= longestText;
    const owner = parseOwner(isText ? await files.readFile(path, 'utf8') : '');
    return {version: `${found.ino} ${found.mtimeMs}`, owner, isCopy: owner.inode !== found.ino};
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the lock file of an owner that ended or fell silent, unless another process did so and took the lock. */
async function takeAway(path: string, version: string, request: LockRequest): Promise<void> {
  const {files = nodeFiles} = request;
  const turn = await ProcessLock.acquire(path, {...request, wait: () => {}});
  try {
    if ((await readLock(files, path))?.version === version) await files.unlink(path);
  } finally {
    await turn.release();
  }
}
