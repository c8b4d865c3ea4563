import {AppError} from '../errors.js';
import {claimedKind, holdsJoinWord, isWellFormedSecret, type SecretKind} from './secret.js';

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

const kinds: Record<SecretKind, string> = {
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
  if (kind !== undefined && isWellFormedSecret(kind, text.trim())) return kinds[kind];
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
