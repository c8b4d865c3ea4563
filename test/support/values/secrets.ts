import {formatSecret, type SecretKind} from '../../../src/domain/secret.js';

/** A well-formed secret, always the same for the same number. */
function secret(kind: SecretKind) {
  return (number = 1) => formatSecret(kind, new Uint8Array(32).fill(number));
}

export const activationToken = secret('activationToken');
export const organizationKey = secret('organizationKey');
export const connectorKey = secret('connectorKey');
