import {randomBytes} from 'node:crypto';
import {type FileHandle, mkdir, type open, stat} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';
import {errorCode} from './error-codes.js';
import type {Files} from './files.js';
import {requireTrustedLink} from './trusted-files.js';

/** Only for the owner. */
export const ownerOnly = 0o600;

/** How to write a file. */
interface WriteOptions {
  /** Permissions of the file, less the umask; by default only its owner has access. */
  readonly mode?: number;
  /** Never replaces anything at the path. */
  readonly exclusive?: boolean;
  /**
   * Path of the file until it is complete, in the same directory. A fixed one does not pile up after kills, but only
   * one process at a time may then write; by default it is unique.
   */
  readonly draft?: string;
  /** Called with the complete draft. */
  readonly finish?: (draft: FileHandle) => Promise<void>;
}

/**
 * Writes a file whole: after a crash at any moment the path has what was there before or the new file, and once this
 * resolves the new file. A link at the path is replaced, one at the draft is not followed.
 *
 * @throws the system's error; the path has what was there before, unless only the last sync failed
 */
export async function writeDurably(
  files: Files,
  path: string,
  content: string | Uint8Array,
  {mode = ownerOnly, exclusive = false, draft, finish}: WriteOptions = {},
): Promise<void> {
  const temporary = draft ?? `${path}.tmp-${randomBytes(6).toString('hex')}`;
  if (draft !== undefined) await files.rm(draft, {force: true});
  try {
    const file = await files.open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      await finish?.(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await moveIntoPlace(files, temporary, path, exclusive);
  } catch (error) {
    await files.rm(temporary, {force: true}).catch(() => {});
    throw error;
  }
  await syncDirectory(files, dirname(path));
}

/**
 * Writes a file that belongs to the user: one behind a link stays there, and an existing one keeps its owner. A link of
 * another user, for instance in `/tmp`, would choose which file of this user is replaced.
 *
 * @param options.mode by default that of the existing file, and of a new one what the umask leaves
 * @param options.isLocked the caller's lock lets one process at a time write: the draft has a fixed name, which does
 *   not pile up after kills
 * @throws as `writeDurably`; UntrustedFileError for such a link
 */
export async function writeUserFile(
  files: Files,
  path: string,
  content: string,
  {mode, isLocked = false}: {readonly mode?: number; readonly isLocked?: boolean} = {},
): Promise<void> {
  const found = await files.lstat(path).catch(() => undefined);
  if (found !== undefined) requireTrustedLink(path, found);
  const target = await files.realpath(path).catch(() => path);
  const existing = await files.stat(target).catch(() => undefined);
  const wanted = mode ?? (existing && existing.mode & 0o777);
  await writeDurably(files, target, content, {
    mode: wanted ?? 0o666,
    ...(isLocked && {draft: `${target}.tmp`}),
    finish: async (draft) => {
      // Only root can give a file away, and some file systems have no owners.
      if (existing !== undefined) await draft.chown(existing.uid, existing.gid).catch(() => {});
      if (wanted !== undefined) await draft.chmod(wanted).catch(() => {});
    },
  });
}

const noLinks: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
]);

/**
 * Moves a complete, synced file to its path in the same directory; a sync of that makes it durable. Unlike a rename, a
 * hard link never replaces anything. Some file systems, such as exFAT, have no links; there the caller's lock keeps
 * others of our own from creating the file in between.
 *
 * @throws the system's error: `EEXIST` when it is exclusive and there is anything at the path
 */
export async function moveIntoPlace(
  files: Files,
  from: string,
  to: string,
  exclusive: boolean,
): Promise<void> {
  if (!exclusive) return files.rename(from, to);
  try {
    await files.link(from, to);
  } catch (error) {
    if (!noLinks.has(errorCode(error))) throw error;
    await requireNothing(files, to);
    return files.rename(from, to);
  }
  await files.unlink(from);
}

/** A dangling symlink counts as existing. @throws an error with the code `EEXIST` */
async function requireNothing(files: Files, path: string): Promise<void> {
  try {
    await files.lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  throw Object.assign(new Error(`EEXIST: file already exists, ${path}`), {code: 'EEXIST'});
}

/**
 * Makes the creation, renaming and removal of files in a directory durable.
 *
 * @param files the file calls to use
 */
export async function syncDirectory(
  files: {readonly open: typeof open},
  directory: string,
): Promise<void> {
  const handle = await files.open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a directory and its missing parents, for their owner only. Node's `recursive` never returns below a
 * parent that allows no directories, such as `/proc`.
 *
 * @returns the created directories, outermost first
 * @throws the system's error
 */
export async function makeDirectory(directory: string): Promise<readonly string[]> {
  const path = resolve(directory);
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return [];
  const parents = dirname(path) === path ? [] : await makeDirectory(dirname(path));
  try {
    await mkdir(path, {mode: 0o700});
    return [...parents, path];
  } catch (error) {
    // Another process created it first.
    if (errorCode(error) === 'EEXIST') return parents;
    throw error;
  }
}
