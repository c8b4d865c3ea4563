import {createHmac, hash, timingSafeEqual} from 'node:crypto';
import {crc32} from 'node:zlib';
import {AppError} from '../errors.js';

/**
 * The secrets of the reference service: a prefix for the kind, 32 random bytes, and a checksum, which
 * detects a mistyped secret offline, before any request or lookup.
 *
 *     act_ 43 characters of base64url  6 characters of base64url
 *     └ prefix └ 32 bytes              └ CRC-32 of everything before it
 */
export const secretPrefixes = {
  activationToken: 'act_',
  organizationKey: 'ck_',
  connectorKey: 'cck_',
} as const;

/** The prefix of a word that holds an activation token and its service; see `joinWord`. */
export const joinPrefix = 'join_';

/**
 * Whether a text holds a join word, or the beginning of one, anywhere and in any case: people copy the words around it,
 * and phones capitalize the first letter.
 *
 * @param least minimum number of characters after the prefix
 */
export const holdsJoinWord = (text: string, least = 1): boolean =>
  new RegExp(`${joinPrefix}[\\w-]{${least},}`, 'i').test(text.replace(/\s+/g, ''));

export type SecretKind = keyof typeof secretPrefixes;

const kinds = Object.keys(secretPrefixes) as readonly SecretKind[];

/** Number of random bytes in a secret: 256 bits. */
export const secretBytes = 32;

const bodyLength = 43;
const checksumLength = 6;
/** Characters of a hash: 32 bytes in base64url. */
const hashLength = 43;

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** CRC-32 of a text, in base64url (6 characters). Runs for every request; a buffer would cost more than the CRC. */
export function checksum(text: string): string {
  const crc = crc32(text);
  const digit = (shift: number) => digits.charAt((crc >>> shift) & 63);
  return digit(26) + digit(20) + digit(14) + digit(8) + digit(2) + digits.charAt((crc & 3) << 4);
}

/**
 * Writes `bytes` as a secret of the given kind.
 *
 * @throws RangeError unless there are exactly 32 bytes.
 */
export function formatSecret(kind: SecretKind, bytes: Uint8Array): string {
  if (bytes.length !== secretBytes) throw new RangeError(`a secret has ${secretBytes} bytes`);
  const text = secretPrefixes[kind] + Buffer.from(bytes).toString('base64url');
  return text + checksum(text);
}

/** The kind of secret by the prefix of a text; undefined for any other prefix. */
export function claimedKind(text: string): SecretKind | undefined {
  return kinds.find((kind) => text.startsWith(secretPrefixes[kind]));
}

/** Minimum length of a key whose beginning may be shown, in characters. */
const shortestShown = 20;

/**
 * The beginning of an API key, so that its owner recognizes it: the prefix of its kind, and four more characters. For a
 * short key only `…`.
 */
export function keyPrefix(key: string): string {
  if (key.length < shortestShown) return '…';
  const kind = claimedKind(key);
  const prefix = kind === undefined ? '' : secretPrefixes[kind];
  return `${key.slice(0, prefix.length + 4)}…`;
}

/** Whether a text has the prefix, the length and the checksum of a secret of this kind. */
export function isWellFormedSecret(kind: SecretKind, text: string): boolean {
  if (!hasLength(kind, text) || !text.startsWith(secretPrefixes[kind])) return false;
  const end = text.length - checksumLength;
  return checksum(text.slice(0, end)) === text.slice(end);
}

/**
 * Whether a text is a secret of the reference service with a typing mistake: it has the right length and characters, but
 * a wrong checksum. Any other text may be a secret of another service that has the same prefix by chance.
 */
export function isMistypedSecret(text: string): boolean {
  const kind = claimedKind(text);
  if (kind === undefined || !/^[\w-]+$/.test(text)) return false;
  return hasLength(kind, text) && !isWellFormedSecret(kind, text);
}

const hasLength = (kind: SecretKind, {length}: string) =>
  length === secretPrefixes[kind].length + bodyLength + checksumLength;

/** The hash that a store keeps instead of a secret: the SHA-256 of its text, in base64url (43 characters). */
export function hashSecret(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * Compares two hashes of `hashSecret` in constant time. A text of another length than such a hash never
 * matches.
 */
export function hashesEqual(left: string, right: string): boolean {
  if (left.length !== hashLength || right.length !== hashLength) return false;
  return timingSafeEqual(Buffer.from(left, 'latin1'), Buffer.from(right, 'latin1'));
}

/**
 * A connector's own API key. It is derived, not random, so that a repeated activation can return it
 * although it is not stored. The activation token is part of the input, and the store holds only the
 * token's hash: read access to the store, server secret included, reveals no connector's key.
 */
export function deriveConnectorKey(
  serverSecret: Uint8Array,
  token: string,
  connectorId: string,
): string {
  const bytes = createHmac('sha256', serverSecret).update(`${token}\n${connectorId}`).digest();
  return formatSecret('connectorKey', bytes);
}

// Twelve characters after the prefix: longer than most words, shorter than any useful part of a secret.
const prefixes = Object.values(secretPrefixes).join('|');
const secretPattern = new RegExp(`(\\b(?:${prefixes})|[Jj][Oo][Ii][Nn]_)[\\w-]{12,}`, 'g');

/** Replaces everything that looks like one of our secrets, complete or truncated, by its prefix and `mark`. */
export function redactSecrets(text: string, mark = '…'): string {
  return text.replace(secretPattern, `$1${mark}`);
}

/** An assignment to a variable, as in instructions and environment files. */
const assignment =
  /^(?:export\s+\w+|set\s+\w+|\$env:\w+|CONNECTORCTL_\w+|\w+(?==["']?(?:act|cc?k)_))\s*=\s*(?=\S)/;

/** A text in quotes: straight, backticks, or typographic. */
const quoted = /^(?:"(.*)"|'(.*)'|`(.*)`|\u201c(.*)\u201d|\u2018(.*)\u2019)$/s;

/**
 * A secret without the characters that were copied with it: surrounding white space, invisible characters such as
 * zero-width spaces, quotes, and an assignment to a variable.
 */
export function cleanSecret(text: string): string {
  const visible = withoutInvisible(text).trim();
  const value = visible.replace(assignment, '');
  const word = value === visible ? value : value.replace(/;$/, '');
  return unquoted(word).trim();
}

/** A text without the quotes around it. */
export function unquoted(text: string): string {
  return text.replace(quoted, '$1$2$3$4$5');
}

/** Removes invisible characters (`Cf`). ASCII has none, and compiling their class would cost a millisecond. */
function withoutInvisible(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.replace(/\p{Cf}/gu, '') : text;
}

const phrases: Record<SecretKind, string> = {
  activationToken: 'an activation token',
  organizationKey: 'an API key',
  connectorKey: "a connector's API key",
};

/** Minimum number of characters after the prefix of a join word: a name or a path may hold a shorter `join_…`. */
const shortestJoinWord = 20;

/**
 * A phrase for a text that is one of our secrets, or holds a join word; undefined for any other. The checksum
 * distinguishes it from another service's text with the same prefix.
 */
export function secretIn(text: string): string | undefined {
  const kind = claimedKind(text.trim());
  if (kind !== undefined && isWellFormedSecret(kind, text.trim())) return phrases[kind];
  const isJoin = holdsJoinWord(text, shortestJoinWord);
  return isJoin ? 'a join word, which holds an activation token' : undefined;
}

/**
 * Refuses one of our secrets in place of a public value: it would be sent in a path, or saved where others can read it.
 *
 * @param place the expected value, for instance `a connector's id`
 * @throws AppError `usage`; the message omits the secret
 */
export function refuseSecret(text: string, place: string, hint: string): void {
  const what = secretIn(text);
  if (what !== undefined) throw new AppError('usage', `That is ${what}, not ${place}.`, {hint});
}

/** Refuses a secret in place of the path of its file. @throws AppError `usage` */
export function refuseSecretAsPath(path: string, flag: string): void {
  const hint = `Write it to a file and pass the file with ${flag}: other users can see command lines.`;
  refuseSecret(path, 'the path of a file', hint);
}
