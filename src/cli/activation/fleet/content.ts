import {constants} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {jsonOrUndefined} from '../../../domain/json.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {Credentials} from '../credentials-file.js';
import {Reservation} from '../notes.js';

/** What an encrypted file begins with (age-encryption.org/v1). */
const ageMagic = Buffer.from('age-encryption.org/v1\n');

/** What a file beside the list of machines holds. */
export type Content =
  | {readonly kind: 'absent'}
  /** Reserved space: nothing was sent. */
  | {readonly kind: 'blank'}
  | {readonly kind: 'reservation'; readonly reservation: Reservation}
  | {readonly kind: 'credentials'; readonly credentials: Credentials}
  | {readonly kind: 'encrypted'}
  /** Not of this command, unless it cannot be read: then `unreadable` says why. */
  | {readonly kind: 'other'; readonly unreadable?: string | undefined};

export const absent: Content = {kind: 'absent'};

/** What is at the path of the credentials, and what an earlier run left beside it. */
export interface Found {
  readonly placed: Content;
  readonly pending: Content;
}

/** What cannot be read as a file. */
export interface Unreadable {
  /** Undefined for what is no file. */
  readonly unreadable: string | undefined;
}

/** A file, without following a link; undefined when there is none. */
export async function bytesOf(path: string): Promise<Buffer | Unreadable | undefined> {
  try {
    // A named pipe without a writer would block.
    return await readFile(path, {
      flag: constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    // A link, a directory, or a socket.
    const isNoFile = hasCode(error, 'ELOOP', 'EISDIR', 'ENXIO');
    return {unreadable: isNoFile ? undefined : reasonOf(error)};
  }
}

export async function contentOf(path: string): Promise<Content> {
  const bytes = await bytesOf(path);
  if (bytes === undefined) return absent;
  return Buffer.isBuffer(bytes) ? contentIn(bytes) : {kind: 'other', ...bytes};
}

export function contentIn(bytes: Buffer): Content {
  if (bytes.subarray(0, ageMagic.length).equals(ageMagic)) return {kind: 'encrypted'};
  const text = bytes.toString('utf8').trim();
  if (text === '') return {kind: 'blank'};
  const json = jsonOrUndefined(text);
  const credentials = Credentials.safeParse(json);
  if (credentials.success) return {kind: 'credentials', credentials: credentials.data};
  const reservation = Reservation.safeParse(json);
  return reservation.success
    ? {kind: 'reservation', reservation: reservation.data}
    : {kind: 'other'};
}
