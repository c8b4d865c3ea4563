import {open, rm, stat} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {hasCode} from '../errors/system-error.js';
import {runInterruptible} from '../terminal/signals.js';

/** Milliseconds between two attempts to get a lock that another process holds. */
const period = 20;

/** Milliseconds after which a lock counts as stale: its process was killed while it worked. */
const longestWork = 10_000;

/**
 * Runs a few milliseconds of work under a lock file, one process at a time. A signal during the work waits
 * until the lock is released.
 *
 * @param patience milliseconds to wait for another process
 * @returns undefined when another process held the lock all the time
 * @throws what the work throws, and the system's error when the lock file cannot be created
 */
export async function withLockFile<T>(
  path: string,
  patience: number,
  work: () => Promise<T>,
): Promise<{readonly result: T} | undefined> {
  const deadline = performance.now() + patience;
  while (!(await take(path))) {
    if (await isStale(path)) await rm(path, {force: true});
    if (performance.now() >= deadline) return undefined;
    await sleep(period);
  }
  try {
    return {result: await runInterruptible(work)};
  } finally {
    await rm(path, {force: true});
  }
}

async function isStale(path: string): Promise<boolean> {
  const made = await stat(path).then(
    ({mtimeMs}) => mtimeMs,
    () => undefined,
  );
  return made !== undefined && Date.now() - made > longestWork;
}

/** Creates the lock file; false when it exists. */
async function take(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}
