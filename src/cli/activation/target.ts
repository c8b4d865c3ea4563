import type {Stats} from 'node:fs';
import {lstat, readFile, readlink, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../../errors.js';
import {escapeControl} from '../../render/escape.js';
import {isOutputDiscarded} from '../terminal/streams.js';
import type {Content, Credentials, UsableReservation} from './credentials.js';
import {refuseOldJournal} from './old-journal.js';
import {Place, unreadable} from './place.js';

/** The credentials file of an activation. */
export interface CredentialsTarget {
  readonly path: string;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
}

/**
 * Checks the target of the credential before any prompt.
 *
 * @returns the activation that another run can finish with what it has on disk; without a token it is done
 * @throws AppError `usage` when the credential would be lost, or the file exists or cannot be read
 */
export async function checkTarget(
  target: CredentialsTarget | undefined,
): Promise<Credentials | UsableReservation | undefined> {
  if (target === undefined) {
    if (!isOutputDiscarded()) return undefined;
    throw new AppError('usage', 'The credential would be lost: stdout is closed or discarded.', {
      hint: 'Save it to a file with --credentials-file PATH. Nothing was sent.',
    });
  }
  const {path} = target;
  checkName(path);
  const place = new Place(path);
  let {placed, pending} = await place.inspect({follows: true});
  if (placed.kind === 'unusable') throw unreadable(path, placed.reason);
  // Credentials of the same token are not an error.
  if (placed.kind !== 'credentials') {
    try {
      await checkPlace(target);
    } catch (error) {
      // Another run may have just finished the activation.
      ({placed, pending} = await place.inspect({follows: true}));
      if (placed.kind !== 'credentials') throw error;
    }
  }
  if (pending.kind === 'credentials') return pending.credentials;
  if (pending.kind === 'reservation') {
    const {token, lost, ...rest} = pending.reservation;
    return token === undefined || lost ? undefined : {...rest, token};
  }
  if (placed.kind === 'credentials') return target.force ? undefined : placed.credentials;
  requireOwnPending(place, pending, undefined);
  return undefined;
}

/**
 * Checks that a pending file is of the activation with this token.
 *
 * @throws AppError `usage`, whatever `--force` says: it may hold the only copy of a token or a credential
 */
export function requireOwnPending(
  {pending: path}: Place,
  found: Content,
  tokenHash: string | undefined,
): void {
  const move = 'Move that file elsewhere or remove it, then run this command again.';
  switch (found.kind) {
    case 'absent':
    case 'partial':
      return;
    case 'reservation': {
      const {token_hash, name} = found.reservation;
      if (token_hash === tokenHash) return;
      const what = `holds the unfinished activation of another token, for the name ${JSON.stringify(name)}`;
      throw refusal(`${path} ${what}`, `Finish it with its token. To give it up: ${move}`);
    }
    case 'credentials': {
      const {token_hash, name} = found.credentials;
      if (token_hash === tokenHash) return;
      const what = `holds the credentials of another connector, ${escapeControl(name)}`;
      throw refusal(`${path} ${what}`, move);
    }
    case 'encrypted':
      throw refusal(`${path} holds encrypted credentials`, move);
    case 'other':
      throw refusal(`${path} holds no activation`, move);
    case 'unusable':
      throw refusal(`${path} cannot be used: ${found.reason}`, move);
  }
}

/** @throws AppError `usage` */
function checkName(path: string): void {
  if (path === '') {
    throw refusal('--credentials-file names no file', 'Use --credentials-file PATH.');
  }
  if (path === '-') {
    const hint = 'To print the credential on stdout, omit the flag. For a file named -, use ./-';
    throw refusal('--credentials-file - would create a file named -', hint);
  }
}

/**
 * Checks that nothing is at the path of the credentials, or with `force` that it can be replaced.
 *
 * @throws AppError `usage`
 */
export async function checkPlace({path, force}: CredentialsTarget): Promise<void> {
  refuseOldJournal(dirname(path));
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (await isSpecial(path, found)) {
    const hint = 'Choose another file with --credentials-file PATH.';
    throw refusal(`${path} is not a regular file and cannot be replaced`, hint);
  }
  if (await isMountPoint(path, found)) {
    const hint = 'Mount its directory instead, and name a new file in it.';
    throw refusal(`${path} is a mount point and cannot be replaced`, hint);
  }
  if (force) return;
  throw refusal(`${path} already exists`, 'Choose another file, or replace this one with --force.');
}

function refusal(what: string, hint: string): AppError {
  return new AppError('usage', `${what}; nothing was sent.`, {hint});
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
