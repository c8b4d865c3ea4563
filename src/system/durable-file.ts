import {randomBytes} from 'node:crypto';
import {type Stats, statSync} from 'node:fs';
import type {open} from 'node:fs/promises';
import fs from 'node:fs/promises';
import {dirname, resolve} from 'node:path';
import {errorCode} from './system-error.js';
import {requireTrustedLink} from './trusted-files.js';

/** The file calls for durable writes and locks. Tests replace them to observe calls or to make them fail. */
export type Files = Pick<
  typeof fs,
  | 'chmod'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'readFile'
  | 'realpath'
  | 'rename'
  | 'rm'
  | 'stat'
  | 'unlink'
  | 'utimes'
>;

export const nodeFiles: Files = Object.assign(Object.create(fs), {
  // Each write checks the lock twice. An asynchronous `stat`, in the thread pool, takes several times as long.
  stat: async (path: string) => statSync(path),
});

/** File mode: only the owner can read and write. */
export const ownerOnly = 0o600;

interface WriteOptions {
  /** Permissions of the file before the umask; by default only its owner has access. */
  readonly mode?: number;
  /**
   * Path of the file until it is complete, in the same directory; unique by default. Kills leave at most one file at a
   * fixed path, but only one process at a time may then write.
   */
  readonly draft?: string;
  /** The existing file: the new one gets its owner, if permitted, and exactly `mode`, whatever the umask. */
  readonly replaces?: Stats | undefined;
}

/**
 * Writes a file atomically: after a crash the path has the old file or the new one, and once this resolves, the new
 * one. Replaces a symlink at the path; never follows one at the draft.
 *
 * @throws the system's error; the path keeps its old content, unless only the last sync failed
 */
export async function writeDurably(
  files: Files,
  path: string,
  content: string | Uint8Array,
  {mode = ownerOnly, draft, replaces}: WriteOptions = {},
): Promise<void> {
  const temporary = draft ?? `${path}.tmp-${randomBytes(6).toString('hex')}`;
  if (draft !== undefined) await files.rm(draft, {force: true});
  try {
    const file = await files.open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      if (replaces !== undefined) {
        // Only root can give a file away, and some file systems have no owners.
        await file.chown(replaces.uid, replaces.gid).catch(() => {});
        await file.chmod(mode).catch(() => {});
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
  } catch (error) {
    await files.rm(temporary, {force: true}).catch(() => {});
    throw error;
  }
  await syncDirectory(files, dirname(path));
}

/**
 * Writes a file that the user named; an existing file keeps its owner, if permitted. Follows a symlink of the user or
 * root, but replaces a dangling one. Refuses any other: one in `/tmp`, for instance, could lead to any file of theirs.
 *
 * @param options.mode by default the mode of the existing file; for a new file, 0666 before the umask
 * @param options.isLocked the caller's lock lets one process at a time write: the draft gets a fixed name, so that
 *   kills leave at most one
 * @throws as `writeDurably`; UntrustedFileError for a symlink that it refuses
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
  await writeDurably(files, target, content, {
    mode: mode ?? (existing ? existing.mode & 0o777 : 0o666),
    ...(isLocked && {draft: `${target}.tmp`}),
    replaces: existing,
  });
}

/** Makes the creation, renaming and removal of files in a directory durable. */
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
 * Creates a directory and its missing parents, with access for their owner only. Avoids Node's `recursive`, which hangs
 * below a parent that allows no directories, such as `/proc`.
 *
 * @returns the created directories, outermost first
 * @throws the system's error
 */
export async function makeDirectory(
  directory: string,
  files: Files = nodeFiles,
): Promise<readonly string[]> {
  const path = resolve(directory);
  const isThere = await files.stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return [];
  const parents = dirname(path) === path ? [] : await makeDirectory(dirname(path), files);
  try {
    await files.mkdir(path, {mode: 0o700});
    return [...parents, path];
  } catch (error) {
    // Another process created it first.
    if (errorCode(error) === 'EEXIST') return parents;
    throw error;
  }
}
