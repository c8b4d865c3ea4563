import {randomBytes} from 'node:crypto';
import process from 'node:process';
import * as z from 'zod/mini';
import {StoreError} from '../store.js';
import {errorCode, type Files, modes, syncFolder} from './files.js';
import {inFolder, isLock, names, numbersOf} from './layout.js';

/**
 * A process, told apart from any other that gets the same id later: `started` is the kernel's own
 * start time in clock ticks since boot, `boot` names the boot. Null where the system does not tell.
 */
const Holder = z.object({
  pid: z.int(),
  started: z.nullable(z.string()),
  boot: z.nullable(z.string()),
});
type Holder = z.infer<typeof Holder>;

async function readIfThere(files: Files, path: string): Promise<string | null> {
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

async function describeSelf(files: Files): Promise<Holder> {
  const stat = await processStat(files, process.pid);
  return {pid: process.pid, started: stat?.started ?? null, boot: await bootId(files)};
}

/** Whether a lock's holder still runs. Where the system tells no more, a live pid counts. */
async function isAlive(files: Files, holder: Holder): Promise<boolean> {
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

/** The holder that a lock file names, if it holds the lock now. */
async function liveHolder(files: Files, path: string): Promise<Holder | null> {
  const text = await readIfThere(files, path);
  // Let go of or removed since it was listed.
  if (text === null) return null;
  const holder = parseHolder(path, text);
  return (await isAlive(files, holder)) ? holder : null;
}

function parseHolder(path: string, text: string): Holder {
  try {
    return Holder.parse(JSON.parse(text));
  } catch (error) {
    const advice = 'it is not a lock that connectorctl made; remove it if no other process uses it';
    throw new StoreError('locked', `${path}: ${advice}.`, {cause: error});
  }
}

/**
 * One process per store. Locks are numbered, and the highest number counts. Whoever finds it held
 * by nobody alive makes the next number; a file can be made once, so of two starters one succeeds.
 * A lock file is put in place whole (by a hard link), and is renamed, not removed, when it is let
 * go: were the highest number ever to vanish, a slow starter could make one that others have left
 * behind. Letting go takes no space on the disk.
 */
export class StoreLock {
  readonly #files: Files;
  readonly #folder: string;
  readonly #number: number;

  private constructor(files: Files, folder: string, number: number) {
    this.#files = files;
    this.#folder = folder;
    this.#number = number;
  }

  /**
   * Takes the lock of a store.
   *
   * @throws StoreError of kind `locked`, naming the holder's pid; or what a file call throws
   */
  static async acquire(files: Files, folder: string): Promise<StoreLock> {
    for (;;) {
      const before = await highest(files, folder);
      await refuseIfHeld(files, folder, before);
      const lock = new StoreLock(files, folder, before + 1);
      if (await lock.#claim()) return lock;
    }
  }

  /**
   * Makes the file of this lock. False: others were faster; look again. When it rejects, the lock is
   * not held.
   */
  async #claim(): Promise<boolean> {
    const path = inFolder(this.#folder, names.lock(this.#number));
    if (!(await putInPlace(this.#files, path))) return false;
    try {
      if ((await highest(this.#files, this.#folder)) === this.#number) {
        await removeOthers(this.#files, this.#folder, this.#number);
        await syncFolder(this.#files, this.#folder);
        return true;
      }
    } catch (error) {
      await this.release();
      throw error;
    }
    // The listing was old: others have come and gone since, and this number no longer counts.
    await this.#files.rm(path, {force: true});
    return false;
  }

  /** Lets go of the lock. */
  async release(): Promise<void> {
    const held = inFolder(this.#folder, names.lock(this.#number));
    const released = inFolder(this.#folder, names.releasedLock(this.#number));
    await this.#files.rename(held, released);
  }
}

async function highest(files: Files, folder: string): Promise<number> {
  return numbersOf('lock', await files.readdir(folder)).at(-1) ?? 0;
}

async function refuseIfHeld(files: Files, folder: string, number: number): Promise<void> {
  const holder = await liveHolder(files, inFolder(folder, names.lock(number)));
  if (holder === null) return;
  throw new StoreError(
    'locked',
    `${folder} is in use by process ${holder.pid}; one process at a time can have it.`,
  );
}

/** Makes a lock file, whole from the first moment. False: it exists, or the draft was tidied away. */
async function putInPlace(files: Files, path: string): Promise<boolean> {
  const draft = `${path}-${process.pid}-${randomBytes(6).toString('hex')}`;
  const handle = await files.open(draft, 'wx', modes.file);
  try {
    await handle.writeFile(`${JSON.stringify(await describeSelf(files))}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await files.link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await files.rm(draft, {force: true});
  }
}

/** Removes the locks before this one, and drafts that crashes left. */
async function removeOthers(files: Files, folder: string, number: number): Promise<void> {
  const own = names.lock(number);
  for (const name of await files.readdir(folder)) {
    if (isLock(name) && name !== own) await files.rm(inFolder(folder, name), {force: true});
  }
}
