import {claimedKind, isWellFormedSecret, type SecretKind} from '../../domain/secret.js';
import {AppError} from '../../errors.js';

const kinds: Record<SecretKind, string> = {
  activationToken: 'an activation token',
  organizationKey: 'an API key',
  connectorKey: "a connector's API key",
};

/**
 * Refuses one of our secrets where something public belongs: it would be sent in a path, or kept
 * for everybody to read. The checksum tells it from a foreign service's text with the same prefix.
 *
 * @param place what belongs there, for instance `a connector's id`
 * @throws AppError `usage`, without the secret
 */
export function refuseSecret(text: string, place: string, hint: string): void {
  const kind = claimedKind(text.trim());
  if (kind === undefined || !isWellFormedSecret(kind, text.trim())) return;
  throw new AppError('usage', `That is ${kinds[kind]}, not ${place}.`, {hint});
}

/** Refuses a secret where the id of a connector belongs. @throws AppError `usage` */
export function refuseSecretAsId(id: string): void {
  refuseSecret(id, "a connector's id", 'See the ids with: connectorctl connector list');
}

/** Refuses a secret where the path of the file that holds it belongs. @throws AppError `usage` */
export function refuseSecretAsPath(path: string, flag: string): void {
  const hint = `Write it to a file and name that with ${flag}: a command line is visible to others.`;
  refuseSecret(path, 'the path of a file', hint);
}
