import path from 'node:path';

/**
 * The names of a store's files. A number tells how often the journal was continued in a new
 * segment: snapshot N stands for all segments before N.
 */

/** Version of the format that this build writes. */
export const formatVersion = 1;

/** What `store.json` says it is. */
export const formatName = 'connectorctl json store';

const digits = 6;
const padded = (number: number): string => String(number).padStart(digits, '0');

/** The names of the files in a store's folder, or of those of one kind. */
export const names = {
  store: 'store.json',
  journal: (segment: number): string => `journal-${padded(segment)}.jsonl`,
  snapshot: (segment: number): string => `snapshot-${padded(segment)}.jsonl`,
  backup: (version: number): string => `backup-version-${version}`,
  lock: (number: number): string => `lock-${padded(number)}`,
  releasedLock: (number: number): string => `lock-${padded(number)}-released`,
  temporary: (name: string): string => `${name}.tmp`,
} as const;

const patterns = {
  journal: /^journal-(\d{6,})\.jsonl$/,
  snapshot: /^snapshot-(\d{6,})\.jsonl$/,
  lock: /^lock-(\d{6,})(?:-released)?$/,
} as const;

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
  return /^(?:journal|snapshot|store|backup)\b.*\.tmp$/.test(name);
}

/** Whether a name is a lock's, finished or not. */
export function isLock(name: string): boolean {
  return /^lock-/.test(name);
}

/** Whether a name holds records. */
export function isData(name: string): boolean {
  return name === names.store || patterns.journal.test(name) || patterns.snapshot.test(name);
}

/** The path of a file in a folder, as messages name it too. */
export function inFolder(folder: string, name: string): string {
  return path.join(folder, name);
}
