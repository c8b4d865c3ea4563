import path from 'node:path';

/**
 * The names of a store's files. Their numbers are those of journal segments: snapshot N replaces all
 * segments before N.
 */

/** `format` in `store.json`. */
export const formatName = 'connectorctl json store';

const digits = 6;
const padded = (number: number): string => String(number).padStart(digits, '0');

/** The names of the files in a store's directory. */
export const names = {
  store: 'store.json',
  journal: (segment: number): string => `journal-${padded(segment)}.jsonl`,
  snapshot: (segment: number): string => `snapshot-${padded(segment)}.jsonl`,
  /** What the lock file of the running process is named after. */
  lock: 'store',
  /** A lock of builds before this one. */
  earlierLock: (number: number): string => `lock-${padded(number)}`,
  /** The control socket of a running service; see `server/keys/control`. */
  control: 'control.sock',
  temporary: (name: string): string => `${name}.tmp`,
} as const;

/** Exactly what `padded` writes: similar names are not the store's. */
const number = String.raw`(\d{6}|[1-9]\d{6,})`;

const patterns = {
  journal: new RegExp(String.raw`^journal-${number}\.jsonl$`),
  snapshot: new RegExp(String.raw`^snapshot-${number}\.jsonl$`),
  earlierLock: new RegExp(`^lock-${number}(?:-released)?$`),
} as const;

/** With further endings while a lock is taken over. */
const lock = /^store(?:\.lock)+$/;
const earlierLockDraft = new RegExp(String.raw`^lock-${number}-[1-9]\d*-[0-9a-f]{12}(?:\.sock)?$`);
const temporary = new RegExp(
  String.raw`^(?:store\.json|(?:journal|snapshot)-${number}\.jsonl)\.tmp$`,
);

/** The numbers of the files of one kind in a listing, ascending. */
export function numbersOf(kind: keyof typeof patterns, listing: readonly string[]): number[] {
  return listing
    .map((name) => patterns[kind].exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((left, right) => left - right);
}

/** Whether a crash may leave a file of this name while it is being written. */
export function isTemporary(name: string): boolean {
  return temporary.test(name);
}

/** Whether a name is that of a lock, complete or not. */
export function isLock(name: string): boolean {
  return lock.test(name) || isEarlierLock(name);
}

/** Whether a name is that of a lock of an earlier build, complete or not, or of its socket. */
export function isEarlierLock(name: string): boolean {
  return patterns.earlierLock.test(name) || earlierLockDraft.test(name);
}

/** Whether a file of this name holds records. */
export function isData(name: string): boolean {
  return name === names.store || patterns.journal.test(name) || patterns.snapshot.test(name);
}

/** The path of a file in a directory. */
export function inDirectory(directory: string, name: string): string {
  return path.join(directory, name);
}
