import {randomBytes} from 'node:crypto';
import {readdir, readFile, readlink, rm, stat, utimes, writeFile} from 'node:fs/promises';
import {hostname} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import * as z from 'zod/mini';
import {isProcessRunning, parseProcessStat} from '../../system/process-stat.js';
import {hasCode} from '../errors/system-error.js';

/**
 * The process that holds a lock. `started`, in clock ticks since boot, distinguishes it from a later
 * process with the same pid; null where the system does not provide it.
 */
const Owner = z.object({
  pid: z.int(),
  started: z.nullable(z.string()),
  host: z.string(),
  boot: z.nullable(z.string()),
  pidNamespace: z.nullable(z.string()),
  /** Name of the connector, for messages. */
  name: z.string(),
  /** Empty for the lock of a directory. */
  tokenHash: z.string(),
});
export type Owner = z.infer<typeof Owner>;

/** Milliseconds between two keep-alives of an owner, and until a silent owner counts as gone. */
const alive = {every: 2000, within: 10_000};

/** Milliseconds between two attempts, randomized: two processes that collide do not collide again. */
const pause = {min: 20, max: 80};

/** What the lock files of a whole directory are named after. */
const wholeDirectory = '.connectorctl';

/** Ending of every lock file: pid and random digits. */
const lockSuffix = /\.lock-\d+-[0-9a-f]{12}$/;

/** The target that stands for all files of a directory. */
export const directoryTarget = (directory: string) => join(directory, wholeDirectory);

/** Whether an owner locks a whole directory. */
export const ownsDirectory = ({tokenHash}: Pick<Owner, 'tokenHash'>) => tokenHash === '';

/**
 * The right to create one file, or the files of a directory (`directoryTarget`). Each process creates a
 * lock file with a unique name, then lists the others: of two concurrent processes, each sees the other.
 * Names are never reused, so any process can remove the lock file of a process that has ended.
 */
export class TargetLock {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => {
      const now = new Date();
      utimes(path, now, now).catch(() => undefined);
    }, alive.every).unref();
  }

  /**
   * Acquires the lock of a file.
   *
   * @param wait called while another process holds it; returns to try again, throws to give up
   * @throws what `wait` throws, and the system's error when the lock file cannot be created
   */
  static async acquire(
    target: string,
    self: Pick<Owner, 'name' | 'tokenHash'>,
    wait: (owner: Owner) => void,
    signal?: AbortSignal,
  ): Promise<TargetLock> {
    const owner = {...(await describeSelf()), ...self};
    let before: readonly string[] = [];
    for (;;) {
      const path = `${target}.lock-${process.pid}-${randomBytes(6).toString('hex')}`;
      await writeLock(path, owner);
      const others = await runningOthers(target, path).catch(async (error: unknown) => {
        await rm(path, {force: true});
        throw error;
      });
      if (others.length === 0) return new TargetLock(path);
      await rm(path, {force: true});
      // A process that has just arrived backs off, as this one does; an owner stays.
      const owning = others.find((other) => before.includes(other.path))?.owner;
      if (owning !== undefined) wait(owning);
      before = others.map((other) => other.path);
      await sleep(pause.min + Math.random() * (pause.max - pause.min), undefined, {signal});
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    // If it remains, others remove it once this process has ended.
    await rm(this.#path, {force: true}).catch(() => undefined);
  }
}

async function writeLock(path: string, owner: Owner): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(owner)}\n`, {flag: 'wx', mode: 0o600});
  } catch (error) {
    await rm(path, {force: true});
    throw error;
  }
}

/** A lock file of another process; without an owner while it is being written. */
interface OtherLock {
  readonly path: string;
  readonly owner: Owner | undefined;
}

/** The locks of running processes; removes all others. */
async function runningOthers(target: string, own: string): Promise<readonly OtherLock[]> {
  const directory = dirname(target);
  const names = (await readdir(directory)).filter((name) => conflicts(name, basename(target)));
  const running: OtherLock[] = [];
  for (const path of names.map((name) => join(directory, name))) {
    if (path === join(directory, basename(own))) continue;
    const owner = await readOwner(path);
    if (owner === 'removed') continue;
    if ((await isRunning(owner)) ?? (await isFresh(path, own))) running.push({path, owner});
    else await rm(path, {force: true}).catch(() => undefined);
  }
  return running;
}

/** Whether a file is a lock of the same target, or one of the two is of the whole directory. */
function conflicts(name: string, target: string): boolean {
  if (!lockSuffix.test(name)) return false;
  const locked = name.replace(lockSuffix, '');
  return locked === target || locked === wholeDirectory || target === wholeDirectory;
}

/** Undefined while the file is being written. */
async function readOwner(path: string): Promise<Owner | 'removed' | undefined> {
  try {
    return Owner.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    return hasCode(error, 'ENOENT') ? 'removed' : undefined;
  }
}

/** Whether a lock had a keep-alive recently, by the clock of the file system of both files. */
async function isFresh(path: string, own: string): Promise<boolean> {
  try {
    const [theirs, ours] = await Promise.all([stat(path), stat(own)]);
    return ours.mtimeMs - theirs.mtimeMs < alive.within;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Whether a process still runs; undefined when only its keep-alives can show that. */
async function isRunning(owner: Owner | undefined): Promise<boolean | undefined> {
  if (owner === undefined) return undefined;
  const self = await describeSelf();
  if (owner.host === self.host && owner.boot !== self.boot) return false;
  if (owner.host !== self.host || owner.pidNamespace !== self.pidNamespace) return undefined;
  return isProcessRunning(owner, readStat);
}

/** The text of /proc/PID/stat; null where there is none. */
function readStat(pid: number): Promise<string | null> {
  return readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
}

async function describeSelf(): Promise<Omit<Owner, 'name' | 'tokenHash'>> {
  const orNull = (text: Promise<string>) => text.then((found) => found.trim()).catch(() => null);
  const stat = await readStat(process.pid);
  return {
    pid: process.pid,
    started: stat && parseProcessStat(stat).started,
    host: hostname(),
    boot: await orNull(readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
    pidNamespace: await orNull(readlink('/proc/self/ns/pid')),
  };
}
