import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import {dirname, join, relative, sep} from 'node:path';
import process from 'node:process';
import {errorCode} from './system-error.js';
import type {UserDirectory} from './user-directories.js';

/** Mode bits: the rights of users other than the owner. */
export const othersAccess = {none: 0, writeByAll: 0o002, write: 0o022, any: 0o077} as const;

/**
 * Checks the owner and mode of a file or directory: it must belong to this user or root, and by default must not be
 * writable by everyone. The group may write: container volumes often belong to a group.
 *
 * @param forbidden mode bits that must not be set
 * @returns the reason for distrust as a phrase; undefined for a trusted file or directory
 */
export function distrust(
  {uid, mode}: Pick<Stats, 'mode' | 'uid'>,
  forbidden: number = othersAccess.writeByAll,
): string | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (uid !== user && uid !== 0) return `it belongs to another user (uid ${uid})`;
  const excess = mode & forbidden;
  if (excess === 0) return undefined;
  const can = (excess & othersAccess.write) === 0 ? 'read' : 'write to';
  return `other users can ${can} it (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
}

/** Mode bit of a directory: only the owners of its files can rename and remove them. */
const sticky = 0o1000;

/** The error for a file or directory that another user may have created or changed. */
export class UntrustedFileError extends Error {
  override readonly name = 'UntrustedFileError';

  constructor(path: string, why: string) {
    super(`${path} is not trusted: ${why}`);
  }
}

/**
 * Reads a file in a directory that is trusted or that the user named. Refuses a pipe, which another user may have
 * planted, instead of waiting for its writer.
 *
 * @throws UntrustedFileError, or the system's error
 */
export function readTrustedFile(path: string): Buffer {
  requireTrustedLink(path, lstatSync(path));
  const {O_RDONLY, O_NONBLOCK} = constants;
  const file = openSync(path, O_RDONLY | (O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new UntrustedFileError(path, 'it is not a regular file');
    check(path, distrust(found));
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Checks the existing directories below `base`, and links to them, because their owners decide which files they hold.
 * `base` itself is the user's choice.
 *
 * @throws UntrustedFileError, or the system's error
 */
export function requireTrustedDirectories({base, path}: UserDirectory): void {
  let current = base;
  for (const name of relative(base, path).split(sep)) {
    current = join(current, name);
    const found = statOrUndefined(lstatSync, current);
    if (found === undefined) return;
    requireTrustedLink(current, found);
    const target = found.isSymbolicLink() ? statOrUndefined(statSync, current) : found;
    if (target === undefined) return;
    const mayBeWritable = (target.mode & sticky) !== 0 || isReadOnly(current);
    check(current, distrust(target, mayBeWritable ? othersAccess.none : undefined));
  }
}

/**
 * Whether every user of this machine can read a regular file, by its mode and the modes of all directories above it.
 */
export function isWorldReadable(path: string): boolean {
  if (process.geteuid === undefined) return false;
  try {
    const found = statSync(path);
    if (!found.isFile() || (found.mode & constants.S_IROTH) === 0) return false;
    let current = realpathSync(path);
    while (current !== dirname(current)) {
      current = dirname(current);
      if ((statSync(current).mode & constants.S_IXOTH) === 0) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** The owner of a symlink decides where it leads, so this must be the user or root. @throws UntrustedFileError */
export function requireTrustedLink(path: string, found: Stats): void {
  if (found.isSymbolicLink()) check(path, distrust(found, othersAccess.none));
}

function check(path: string, why: string | undefined): void {
  if (why !== undefined) throw new UntrustedFileError(path, why);
}

/** Whether a directory is on a read-only mount, such as a ConfigMap: nobody can write there, whatever the mode. */
function isReadOnly(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return false;
  } catch (error) {
    return errorCode(error) === 'EROFS';
  }
}

function statOrUndefined(stat: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
