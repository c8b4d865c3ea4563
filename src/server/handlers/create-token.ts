import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import type {HandlerFactory} from '../operation.js';
import {timestamp} from '../present.js';

/** Creates an activation token (interface §4.1). */
export const createToken: HandlerFactory<'createToken'> =
  ({store, now, randomBytes, tokenTtl}) =>
  async ({caller, body}) => {
    const token = formatSecret('activationToken', randomBytes(secretBytes));
    const createdAt = now();
    const expiresAt = createdAt + (body.ttl_seconds ?? tokenTtl) * 1000;
    await store.createToken({
      hash: hashSecret(token),
      organization: caller.organization,
      description: body.description ?? null,
      createdAt,
      expiresAt,
      redemption: null,
    });
    return {token, expires_at: timestamp(expiresAt)};
  };
