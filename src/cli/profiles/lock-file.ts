import {open, rm, stat} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {hasCode} from '../errors/system-error.js';
import {runInterruptible} from '../terminal/signals.js';

/** Milliseconds between two looks at a lock that another process has. */
const period = 20;

/** Milliseconds after which a lock counts as left behind by a process that was killed at its work. */
const longestWork = 10_000;

/**
 * Does work of some milliseconds that one process at a time may do: who makes the lock file may. A
 * signal that comes meanwhile waits, so that no lock stays behind.
 *
 * @param patience how many milliseconds another process is waited for
 * @returns undefined when the lock was there all the time
 * @throws what the work does, and the system's error when the lock file cannot be made
 */
export async function withLockFile<T>(
  path: string,
  patience: number,
  work: () => Promise<T>,
): Promise<{readonly result: T} | undefined> {
  const deadline = performance.now() + patience;
  while (!(await take(path))) {
    if (await isLeftBehind(path)) await rm(path, {force: true});
    if (performance.now() >= deadline) return undefined;
    await sleep(period);
  }
  try {
    return {result: await runInterruptible(work)};
  } finally {
    await rm(path, {force: true});
  }
}

async function isLeftBehind(path: string): Promise<boolean> {
  const made = await stat(path).then(
    ({mtimeMs}) => mtimeMs,
    () => undefined,
  );
  return made !== undefined && Date.now() - made > longestWork;
}

/** Makes the lock file; false when it is there already. */
async function take(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}
