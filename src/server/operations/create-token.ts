import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {ProblemError} from '../http/problems.js';
import {audit} from '../observability/audit.js';
import {type HandlerFactory, requireAuditRoom} from './handler.js';

/** `Retry-After` in seconds for an organization with too many tokens: some may have expired by then. */
const retryAfter = 60;

/** Creates an activation token (interface §4.1). */
export const createToken: HandlerFactory<'createToken'> =
  ({store, now, randomBytes, tokenTtl, log}) =>
  async ({caller, body, request}) => {
    requireAuditRoom(log);
    const {organization, id: key_id} = caller.key;
    const token = formatSecret('activationToken', randomBytes(secretBytes));
    const createdAt = now();
    const expiresAt = createdAt + (body.ttl_seconds ?? tokenTtl) * 1000;
    const isCreated = await store.createToken({
      hash: hashSecret(token),
      organization,
      description: body.description ?? null,
      createdAt,
      expiresAt,
      reissues: null,
      redemption: null,
    });
    if (!isCreated) {
      throw new ProblemError('too_many_tokens', {
        detail: 'Tokens count until they are used, or until one hour after their expiry.',
        retryAfter,
      });
    }
    audit(log, 'token_created', {
      request_id: request.id,
      address: request.ip,
      organization,
      key_id,
      expires_at: timestamp(expiresAt),
    });
    return {token, expires_at: timestamp(expiresAt)};
  };
