import type {FastifyRequest} from 'fastify';
import ipaddr from 'ipaddr.js';
import {LRUCache} from 'lru-cache';
import {headers, limits, type ProblemCode} from '../../contract/index.js';
import {deriveConnectorKey, hashSecret, isWellFormedSecret} from '../../domain/secret.js';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';
import {audit} from '../observability/audit.js';
import {toConnectorResponse} from './get.js';
import {type HandlerFactory, requireAuditRoom} from './handler.js';

const refusals = {
  unknown: 'token_unknown',
  used: 'token_used',
  expired: 'token_expired',
  full: 'too_many_connectors',
} as const satisfies Record<string, ProblemCode>;

const tooMany = 'The token was not used. Ask the operator of the service for more connectors.';

/**
 * Activates a connector (interface §4.2). Guesses, that is malformed and unknown tokens, are counted per address.
 * Beyond the limit all guesses get the same response, but tokens are still checked: a guesser must not lock out a valid
 * token from the same address, and 256 random bits need no lock. A used or expired token was once valid, so it is not
 * counted, and its holder learns its state even beyond the limit.
 */
export const activate: HandlerFactory<'activate'> = (context) => async (call) => {
  const {store, now, newId, heartbeatInterval, countFailedActivation, log} = context;
  const {body, request, reply} = call;
  requireAuditRoom(log);
  const origin = {request_id: request.id, address: request.ip};
  const refuse = (code: ProblemCode, isGuess: boolean): ProblemError => {
    // Beyond the limit this throws, so that a flood of guesses does not become a flood of audit records.
    if (isGuess) countFailedActivation(request.ip);
    audit(log, 'activation_refused', {...origin, reason: code});
    return new ProblemError(code, {detail: code === 'too_many_connectors' ? tooMany : undefined});
  };
  const {token, name} = body;
  if (!isWellFormedSecret('activationToken', token)) throw refuse('token_malformed', true);
  const at = now();
  const id = newId('con', at);
  const keyOf = (connectorId: string) => deriveConnectorKey(store.serverSecret, token, connectorId);
  const keyHashOf = (connectorId: string) => hashSecret(keyOf(connectorId));
  const result = await store.redeemToken({
    tokenHash: hashSecret(token),
    idempotencyHash: readIdempotencyHash(request),
    at,
    connector: {id, name, keyHash: keyHashOf(id), activatedAt: at, lastHeartbeatAt: null},
    keyHashOf,
  });
  if (!('connector' in result)) {
    throw refuse(refusals[result.outcome], result.outcome === 'unknown');
  }
  const {connector, outcome} = result;
  const {organization, id: connector_id} = connector;
  reply.activatedId = connector_id;
  audit(log, 'activation_accepted', {...origin, organization, connector_id, outcome});
  return {
    ...toConnectorResponse(connector, at, heartbeatInterval),
    // A repeated activation returns the existing connector, so its key is derived with that id.
    api_key: keyOf(connector.id),
  };
};

function readIdempotencyHash(request: FastifyRequest): string | null {
  const key = request.headers[headers.idempotencyKey];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !idempotencyKey.test(key)) {
    throw new ProblemError('request_invalid', {
      detail: `Idempotency-Key must be 1 to ${limits.idempotencyKeyLength} visible ASCII characters. The token was not used.`,
    });
  }
  return hashSecret(key);
}

const idempotencyKey = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`);

/** Maximum number of addresses to count; when it is exceeded, the least recently counted one is forgotten. */
const addresses = 10_000;

/**
 * Allows `maximum` guesses per minute and address; see `activate`. The hook of `@fastify/rate-limit` runs before the
 * outcome is known, but successful activations must not count: a hundred machines may share one address. So this is an
 * LRU cache of counters that expire.
 *
 * @param now milliseconds on a monotonic clock, so that setting the system clock changes no window
 */
export function createActivationLimiter(
  maximum: number,
  now: () => number,
): Context['countFailedActivation'] {
  const counts = new LRUCache<string, number>({
    max: addresses,
    // The cache drops an entry only once its age exceeds the time to live, so the `ttl` is 1 ms less than a minute.
    ttl: 60_000 - 1,
    perf: {now},
    ttlResolution: 0,
    noUpdateTTL: true,
  });
  return (address) => {
    const key = rateLimitKey(address);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= maximum) return;
    throw new ProblemError('rate_limited', {
      detail: `Rate limit: ${maximum} malformed or unknown tokens per minute and address.`,
      retryAfter: Math.max(1, Math.ceil(counts.getRemainingTTL(key) / 1000)),
    });
  };
}

/** An IPv4 address, or the /64 network of an IPv6 address, from which one host can use any address. */
function rateLimitKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
