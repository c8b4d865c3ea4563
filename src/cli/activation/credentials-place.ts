import {constants, existsSync, type Stats} from 'node:fs';
import {lstat, open, readFile, readlink, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../../errors.js';
import {hasCode} from '../errors/system-error.js';

/** Name of the journal of `connector activate --from`, in the directory of its credentials files. */
export const journalName = '.connectorctl.journal';

/**
 * What to do about a file that is missing, empty or incomplete because `connector activate --from` has not
 * ended; undefined for a file of any other directory.
 */
export function unfinishedRunHint(path: string): string | undefined {
  if (!existsSync(join(dirname(path), journalName))) return undefined;
  return 'connector activate --from has not finished in this directory. If it does not run any more, run that command again: it completes the file.';
}

/**
 * Checks, before the token is used, that the credentials file can be created. With `force` it may replace
 * an existing file, except for a few kinds that nothing can replace.
 *
 * @throws AppError `usage`
 */
export async function checkPlace(path: string, force: boolean): Promise<void> {
  if (path === '') {
    throw refusal('--credentials-file names no file', 'Use --credentials-file PATH.');
  }
  if (path === '-') {
    const hint = 'To print the credential on stdout, omit the flag. For a file named -, use ./-';
    throw refusal('--credentials-file - would create a file named -', hint);
  }
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  const obstacle = await obstacleAt(path, found);
  if (obstacle !== undefined) throw refusal(`${path} ${obstacle.what}`, obstacle.hint);
  if (force) return;
  const hint = unfinishedRunHint(path) ?? 'Choose another file, or replace this one with --force.';
  throw refusal(`${path} already exists`, hint);
}

function refusal(what: string, hint: string): AppError {
  return new AppError('usage', `${what}; nothing was sent.`, {hint});
}

interface Obstacle {
  readonly what: string;
  readonly hint: string;
}

const elsewhere = 'Choose another file with --credentials-file PATH.';

/** Why a file cannot be replaced, even with --force. */
async function obstacleAt(path: string, found: Stats): Promise<Obstacle | undefined> {
  if (await isSpecial(path, found)) {
    return {what: 'is not a regular file and cannot be replaced', hint: elsewhere};
  }
  if (await isMountPoint(path, found)) {
    return {
      what: 'is a mount point and cannot be replaced',
      hint: 'Mount its directory instead, and name a new file in it.',
    };
  }
  if (found.isFile() && (await isImmutable(path))) {
    return {
      what: 'is immutable or on a read-only file system and cannot be replaced',
      hint: `${elsewhere} lsattr shows the attributes of this one.`,
    };
  }
  if (await isProtectedBySticky(path, found)) {
    return {
      what: 'belongs to another user in a sticky directory and cannot be replaced',
      hint: 'Choose a file in a directory that you own with --credentials-file PATH.',
    };
  }
  return undefined;
}

/** A device, a pipe, a socket, a directory, or a link to one, such as /dev/stdout. */
async function isSpecial(path: string, found: Stats): Promise<boolean> {
  if (!found.isSymbolicLink()) return !found.isFile();
  if (/^\/(proc|dev)\//.test(await readlink(path))) return true;
  // A dangling link is replaced like any other.
  const target = await stat(path).catch(() => undefined);
  return target !== undefined && !target.isFile();
}

async function isMountPoint(path: string, found: Stats): Promise<boolean> {
  const directory = await realpath(dirname(path));
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => undefined);
  if (mounts === undefined) return found.dev !== (await stat(directory)).dev;
  // Field 5 is the mount point; a blank in it is written as \040 (proc(5)).
  const points = mounts.split('\n').map((line) => unescapeOctal(line.split(' ')[4] ?? ''));
  return points.includes(join(directory, basename(path)));
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** Even its owner cannot open such a file for writing. Opening it changes nothing. */
async function isImmutable(path: string): Promise<boolean> {
  try {
    await (await open(path, constants.O_WRONLY | constants.O_NOFOLLOW)).close();
    return false;
  } catch (error) {
    return hasCode(error, 'EPERM', 'EROFS');
  }
}

async function isProtectedBySticky(path: string, found: Stats): Promise<boolean> {
  const user = process.geteuid?.();
  const directory = await stat(dirname(path));
  if (user === undefined || (directory.mode & stickyBit) === 0) return false;
  if (found.uid === user || directory.uid === user) return false;
  return !(await mayActForOwners(user));
}

const stickyBit = 0o1000;

/** Number of the capability CAP_FOWNER (capabilities(7)), which root in a container may lack. */
const actForOwners = 3n;

async function mayActForOwners(user: number): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const [, effective] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  if (effective === undefined) return user === 0;
  return ((BigInt(`0x${effective}`) >> actForOwners) & 1n) === 1n;
}
