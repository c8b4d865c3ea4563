import {cleanSecret, holdsJoinWord, refuseSecretAsPath} from '../domain/secret.js';
import {AppError} from '../errors.js';
import {isWorldReadable} from '../system/trusted-files.js';
import type {Io} from '../terminal/io.js';
import {shownWord} from '../terminal/notices.js';
import {readUserText} from '../terminal/user-text.js';

/** The longest secret in bytes. */
const limit = 64 * 1024;

/** A file with a secret; messages name the secret and the flag. */
interface SecretFile {
  /** Name of the secret in messages, for instance `API key`. */
  readonly what: string;
  /** The flag that names the file. */
  readonly flag: string;
  readonly io: Io;
}

/**
 * Reads a secret from a file, or from stdin when the path is `-`; see `cleanSecret`. Warns of a file that everyone can
 * read: it works nevertheless, because containers often mount secrets as 0444 for their only user.
 *
 * @throws AppError `usage` when it cannot be read, is empty, or has several lines
 */
export async function readSecretFile(path: string, {what, flag, io}: SecretFile): Promise<string> {
  refuseSecretAsPath(path, flag);
  const hint = `Pass a readable file with ${flag}, or pipe it in with ${flag} -.`;
  const text = await readUserText({path, what: `the ${what}`, hint, limit});
  const secret = cleanSecret(text);
  // A chat program may break a join word into several lines.
  const isJoinWord = holdsJoinWord(secret);
  if (secret !== '' && (isJoinWord || !/[\r\n]/.test(secret))) {
    if (path !== '-') warnOfReaders(path, `the ${what}`, io);
    return secret;
  }
  const fault = secret === '' ? 'it is empty' : 'it has several lines';
  const source = path === '-' ? 'standard input' : path;
  const {CREDENTIALS_DIRECTORY: copies} = process.env;
  // systemd made this copy; the operator edits the original.
  const isCopy = copies !== undefined && path.startsWith(copies);
  const place = isCopy ? 'into the file that LoadCredential= of the unit names' : 'there';
  throw new AppError('usage', `No ${what} in ${source}: ${fault}.`, {
    hint: `Put only the ${what} ${place}, on one line, or choose another file with ${flag}.`,
  });
}

/**
 * The secret in the file that a flag names, or else in a variable; undefined without either.
 *
 * @throws AppError `usage` as `readSecretFile` does
 */
export async function readSecret(
  path: string | undefined,
  variable: string,
  file: SecretFile,
): Promise<string | undefined> {
  if (path !== undefined) return readSecretFile(path, file);
  return cleanSecret(process.env[variable] ?? '') || undefined;
}

/** Warns once of a file with a secret that every user of this machine can read. */
export function warnOfReaders(path: string, what: string, io: Io): void {
  if (!isWorldReadable(path)) return;
  // Only once, because some commands read a file twice.
  io.noteOnce(
    `Warning: every user of this machine can read ${what} in ${path}. To prevent that: chmod o= ${shownWord(path)}`,
  );
}
