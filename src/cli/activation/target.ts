import type {Stats} from 'node:fs';
import {lstat, readFile, readlink, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {hashSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {escapeControl} from '../../render/escape.js';
import {requireOutput} from '../terminal/streams.js';
import type {Content, Credentials, Reservation, UsableReservation} from './credentials.js';
import type {ActivationInput} from './input.js';
import {refuseOldJournal} from './old-journal.js';
import {type Found, Place, unreadable} from './place.js';

/** The credentials file of an activation. */
export interface CredentialsTarget {
  readonly path: string;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
}

/** What an activation into a file has to do, by what is there. */
export type Plan =
  /** The file is complete. */
  | {readonly do: 'report'; readonly credentials: Credentials}
  /** The pending file is complete, and only has to be moved. */
  | {readonly do: 'place'; readonly credentials: Credentials}
  | {readonly do: 'resume'; readonly reservation: UsableReservation}
  | {readonly do: 'activate'};

/**
 * Checks where the credential goes, before any prompt.
 *
 * @returns what is to be done with the file
 * @throws AppError `usage` when the credential would be lost, or as `planActivation`
 */
export async function checkTarget(
  target: CredentialsTarget | undefined,
  input: Pick<ActivationInput, 'given'>,
): Promise<Plan> {
  if (target === undefined) {
    requireOutput(
      'The credential',
      'Save it to a file with --credentials-file PATH. Nothing was sent.',
    );
    return {do: 'activate'};
  }
  const {path} = target;
  checkName(path);
  const place = new Place(path);
  const look = () => place.inspect({follows: true});
  try {
    return await planActivation(target, place, await look(), input);
  } catch (error) {
    const {placed, pending} = await look();
    // Another run may be activating: the one that gets the lock decides.
    if (target.force && pending.kind === 'reservation') return {do: 'activate'};
    // Or it may have just finished.
    if (target.force || placed.kind !== 'credentials') throw error;
    return {do: 'report', credentials: placed.credentials};
  }
}

/**
 * Decides what to do by what is at the path and beside it. A complete file is the identity of this machine, so no
 * token is read; an unfinished activation is finished with its own token. With `force` a token that was given and is
 * not that of the file begins another activation.
 *
 * @throws AppError `usage` for any other content; `conflict` when the response to the activation is lost for good
 */
export async function planActivation(
  target: CredentialsTarget,
  place: Place,
  {placed, pending}: Found,
  input: Pick<ActivationInput, 'given'>,
): Promise<Plan> {
  const {path, force} = target;
  if (placed.kind === 'unusable') throw unreadable(path, placed.reason);
  const given = force ? await input.given({mayBeGone: pending.kind !== 'absent'}) : undefined;
  const hash = given && hashSecret(given);
  if (placed.kind === 'credentials') {
    const {credentials} = placed;
    if (!force || credentials.token_hash === hash) return {do: 'report', credentials};
  }
  if (hash !== undefined) requireOwnPending(place, pending, hash);
  switch (pending.kind) {
    case 'credentials': {
      if (placed.kind === 'absent' || force) {
        return {do: 'place', credentials: pending.credentials};
      }
      const message = `The connector is activated; its credentials are in ${place.pending}, because ${path} exists.`;
      const hint = `Replace ${path} with --force, or move the credentials elsewhere.`;
      throw new AppError('usage', message, {hint});
    }
    case 'reservation':
      await checkPlace(target, placed);
      return {do: 'resume', reservation: await usable(place, pending.reservation, input)};
    case 'absent':
    case 'partial':
      await checkPlace(target, placed);
      return {do: 'activate'};
    default:
      requireOwnPending(place, pending, hash);
      return {do: 'activate'};
  }
}

/** A reservation with its token, which the file of an earlier version does not hold. @throws AppError */
async function usable(
  place: Place,
  reservation: Reservation,
  input: Pick<ActivationInput, 'given'>,
): Promise<UsableReservation> {
  const {token, lost, token_hash: hash} = reservation;
  if (lost) {
    const message = `The token in ${place.pending} is used, and the response is lost.`;
    throw new AppError('conflict', message, {hint: lostHint(place)});
  }
  if (token !== undefined) return {...reservation, token};
  const given = await input.given({mayBeGone: true});
  requireOwnPending(place, {kind: 'reservation', reservation}, given && hashSecret(given));
  return {...reservation, token: given ?? '', token_hash: hash};
}

/** What to do about an activation whose response is lost for good. */
export function lostHint({pending}: Place): string {
  return `The connector may be activated: look for it with connectorctl connector list. To activate with another token, remove ${pending} first.`;
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
async function checkPlace({path, force}: CredentialsTarget, placed: Content): Promise<void> {
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
  const what = found.size === 0 ? 'is empty' : faults[placed.kind];
  throw refusal(
    `${path} ${what}`,
    'Restore it from a backup, choose another file, or activate with --force to replace it.',
  );
}

/** What is wrong with a file that exists, by its content. */
const faults = {
  absent: 'is a link to a file that does not exist',
  credentials: 'already exists',
  other: 'is not a credentials file',
  partial: 'is damaged',
  reservation: 'holds an unfinished activation',
  unusable: 'cannot be read',
} as const satisfies Record<Content['kind'], string>;

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
