import {AppError} from '../errors.js';
import {claimedKind, isWellFormedSecret, joinPrefix, type SecretKind} from './secret.js';

const kinds: Record<SecretKind, string> = {
  activationToken: 'an activation token',
  organizationKey: 'an API key',
  connectorKey: "a connector's API key",
};

/**
 * Refuses one of our secrets in place of a public value: it would be sent in a path, or saved where
 * others can read it. The checksum distinguishes it from another service's text with the same prefix.
 *
 * @param place the expected value, for instance `a connector's id`
 * @throws AppError `usage`, without the secret
 */
export function refuseSecret(text: string, place: string, hint: string): void {
  const kind = claimedKind(text.trim());
  const isOurs = kind !== undefined && isWellFormedSecret(kind, text.trim());
  const isJoin = text.trim().startsWith(joinPrefix);
  if (!isOurs && !isJoin) return;
  const what = isOurs ? kinds[kind] : 'a join word, which holds an activation token';
  throw new AppError('usage', `That is ${what}, not ${place}.`, {hint});
}

/** Refuses a secret in place of the path of its file. @throws AppError `usage` */
export function refuseSecretAsPath(path: string, flag: string): void {
  const hint = `Write it to a file and pass the file with ${flag}: other users can see command lines.`;
  refuseSecret(path, 'the path of a file', hint);
}
