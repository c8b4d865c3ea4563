import path from 'node:path';

/** The names of the files in a store's directory. */
export const names = {
  /** All records. */
  store: 'store.jsonl',
  /** What the lock file of the running process is named after. */
  lock: 'store',
  /** The control socket of a running service; see `server/admin/control`. */
  control: 'control.sock',
  temporary: (name: string): string => `${name}.tmp`,
} as const;

/** With further endings while a lock is taken over. */
const lock = /^store(?:\.lock)+$/;

/** Whether a crash before the store was there may leave a file of this name. */
export function isLeftover(name: string): boolean {
  return lock.test(name) || [names.temporary(names.store), names.control].includes(name);
}

/** The path of a file in a directory. */
export function inDirectory(directory: string, name: string): string {
  return path.join(directory, name);
}
