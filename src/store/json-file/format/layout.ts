import path from 'node:path';

/**
 * The names of a store's files. A number tells how often the journal was continued in a new
 * segment: snapshot N stands for all segments before N.
 */

/** Version of the format that this build writes. */
export const formatVersion = 1;

/** What `store.json` says it is. */
export const formatName = 'connectorctl json store';

/** Longest path of a socket that every system takes, in bytes: macOS has room for 104 with the final NUL. */
export const longestSocketPath = 103;

const digits = 6;
const padded = (number: number): string => String(number).padStart(digits, '0');

/** The names of the files in a store's directory, or of those of one kind. */
export const names = {
  store: 'store.json',
  journal: (segment: number): string => `journal-${padded(segment)}.jsonl`,
  snapshot: (segment: number): string => `snapshot-${padded(segment)}.jsonl`,
  backup: (version: number): string => `backup-version-${version}`,
  lock: (number: number): string => `lock-${padded(number)}`,
  releasedLock: (number: number): string => `lock-${padded(number)}-released`,
  /** A lock file before it is in place. @param unique 12 hexadecimal digits */
  lockDraft: (number: number, pid: number, unique: string): string =>
    `lock-${padded(number)}-${pid}-${unique}`,
  socket: (name: string): string => `${name}.sock`,
  /** The service's own, see `server/control`. */
  control: 'control.sock',
  temporary: (name: string): string => `${name}.tmp`,
} as const;

/** Exactly what `padded` writes: names that only look alike are somebody else's. */
const number = String.raw`(\d{6}|[1-9]\d{6,})`;

const patterns = {
  journal: new RegExp(String.raw`^journal-${number}\.jsonl$`),
  snapshot: new RegExp(String.raw`^snapshot-${number}\.jsonl$`),
  lock: new RegExp(`^lock-${number}(?:-released)?$`),
} as const;

const lockDraft = new RegExp(String.raw`^lock-${number}-[1-9]\d*-[0-9a-f]{12}(?:\.sock)?$`);
const temporary = new RegExp(
  String.raw`^(?:store\.json|snapshot-${number}\.jsonl|backup-version-[1-9]\d*)\.tmp$`,
);

/** The numbers of the files of one kind in a listing, ascending. */
export function numbersOf(kind: keyof typeof patterns, listing: readonly string[]): number[] {
  return listing
    .map((name) => patterns[kind].exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((left, right) => left - right);
}

/** Whether a name is one that a crash may leave behind in the middle of making a file. */
export function isTemporary(name: string): boolean {
  return temporary.test(name);
}

/** Whether a name is a lock's, finished or not. */
export function isLock(name: string): boolean {
  return patterns.lock.test(name) || lockDraft.test(name);
}

/** Whether a name holds records. */
export function isData(name: string): boolean {
  return name === names.store || patterns.journal.test(name) || patterns.snapshot.test(name);
}

/** The path of a file in a directory, as messages name it too. */
export function inDirectory(directory: string, name: string): string {
  return path.join(directory, name);
}
