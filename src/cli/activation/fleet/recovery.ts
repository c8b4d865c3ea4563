import {closeSync, constants, fsync, ftruncateSync, openSync, rmSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {hasCode} from '../../errors/system-error.js';
import {ownerOnly, pendingPath, textOf} from '../credentials-file.js';
import type {Reservation} from '../notes.js';
import {bytesOf, contentIn, contentOf, type Found, type Unreadable} from './content.js';
import type {Entry, Journal} from './journal.js';

/** Bytes of the file of an unfinished activation: they keep room for the credentials. */
const reservedBytes = 8 * 1024;

/** Waits for the disk. All other calls below end in the cache of the system, sooner than a thread wakes up. */
export const syncFile = promisify(fsync);

/** Files that are read or synced at a time. */
const parallel = 16;

/** Clears the journal once everything in it is durable elsewhere. */
export async function clearJournal(
  directory: string,
  journal: Journal,
  syncDirectory: () => Promise<void>,
): Promise<void> {
  await forEach([...journal.entries], async ([name, entry]) => {
    const path = join(directory, name);
    if ('content' in entry) {
      if (await restore(path, entry.content)) journal.place(name);
    } else {
      await unfold(path, entry.reservation);
    }
  });
  await forEach(journal.placed, (name) => syncIfThere(join(directory, name)));
  await syncDirectory();
  journal.clear();
}

async function forEach<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await use(item);
  };
  await Promise.all(Array.from({length: parallel}, work));
}

/** The file may already have been moved to its machine. */
async function syncIfThere(path: string): Promise<void> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes credentials of which a kill, a power failure or a full disk may have left a part at their path. Where
 * there is anything else, they go beside it.
 *
 * @returns whether they are at their path
 */
async function restore(path: string, content: Buffer): Promise<boolean> {
  const found = await bytesOf(path);
  if (isReplaceable(found, content)) {
    if (found === undefined || !found.equals(content)) await replaceBytes(path, content);
    await removeUnfinished(pendingPath(path));
    return true;
  }
  await replaceBytes(pendingPath(path), content);
  return false;
}

/** What `restore` and `unfold` will make of the files. */
export async function withEntry(found: Found, path: string, entry: Entry): Promise<Found> {
  if ('reservation' in entry) {
    const {reservation} = entry;
    return holds(found, reservation)
      ? found
      : {...found, pending: {kind: 'reservation', reservation}};
  }
  const content = contentIn(entry.content);
  return isReplaceable(await bytesOf(path), entry.content)
    ? {...found, placed: content}
    : {...found, pending: content};
}

/** Whether the credentials of a reservation's token are there; encrypted ones are taken for them. */
function holds({placed, pending}: Found, {token_hash: hash}: Reservation): boolean {
  if (placed.kind === 'encrypted') return true;
  return [placed, pending].some(
    (content) => content.kind === 'credentials' && content.credentials.token_hash === hash,
  );
}

/**
 * Whether there is no file, or what a kill or a power failure left of a content: its beginning, of which the
 * file system may have kept zeros.
 */
function isReplaceable(
  found: Buffer | Unreadable | undefined,
  content: Buffer,
): found is Buffer | undefined {
  if (found === undefined) return true;
  return (
    Buffer.isBuffer(found) &&
    found.length <= content.length &&
    found.every((byte, index) => byte === 0 || byte === content[index])
  );
}

/** Removes what an earlier run left beside credentials that are now at their path. */
async function removeUnfinished(pending: string): Promise<void> {
  const {kind} = await contentOf(pending);
  if (kind === 'blank' || kind === 'reservation') rmSync(pending, {force: true});
}

/**
 * Gives the unfinished activation of the journal a file of its own, beside the path of its credentials.
 * What is there may be a part of the credentials.
 */
async function unfold(path: string, reservation: Reservation): Promise<void> {
  const found = {placed: await contentOf(path), pending: await contentOf(pendingPath(path))};
  if (holds(found, reservation)) return;
  // The blanks keep the room for the credentials.
  await replaceBytes(pendingPath(path), Buffer.from(textOf(reservation).padEnd(reservedBytes)));
}

/** Writes a file, in its place if it is there, and durably. */
async function replaceBytes(path: string, bytes: Buffer): Promise<void> {
  const {O_WRONLY, O_CREAT, O_NOFOLLOW} = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW, ownerOnly);
  try {
    writeWhole(file, bytes);
    ftruncateSync(file, bytes.length);
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/** A full disk may accept a part; only the next write fails. */
export function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(file, bytes, written, bytes.length - written, written);
  }
}
