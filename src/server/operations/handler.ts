import type {FastifyReply, FastifyRequest} from 'fastify';
import type * as z from 'zod/mini';
import {headers, keyAllows, type Operation, type Route, routes} from '../../contract/index.js';
import {evaluateKey} from '../../domain/activation.js';
import type {ApiKeyRecord, ConnectorRecord} from '../../domain/records.js';
import {claimedKind, hashesEqual, hashSecret, isWellFormedSecret} from '../../domain/secret.js';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';
import {type AuditLog, canAudit} from '../observability/audit.js';

/** Input of a handler: an authorized caller, and parameters that match the contract. */
export interface Call<R extends Route> {
  readonly caller: CallerOf<R>;
  readonly params: R extends {params: infer S extends z.ZodMiniType} ? z.output<S> : undefined;
  readonly query: R extends {query: infer S extends z.ZodMiniType} ? z.output<S> : undefined;
  readonly body: R extends {body: {schema: infer S extends z.ZodMiniType}}
    ? z.output<S>
    : undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type CallerOf<R extends Route> = {
  none: undefined;
  organization: OrganizationCaller;
  connector: Caller;
}[R['access']];

/** Handles one operation of the interface: returns a response that matches its schema, or a sent reply, or throws. */
export type Handler<O extends Operation> = (
  call: Call<(typeof routes)[O]>,
) => Promise<z.output<(typeof routes)[O]['success']['schema']> | FastifyReply>;

export type HandlerFactory<O extends Operation> = (context: Context) => Handler<O>;

/** `Retry-After` in seconds when the log has no room because its reader is stalled. */
const auditRetry = 5;

/** Refuses a change without room for its audit record. @throws ProblemError `audit_unavailable` */
export function requireAuditRoom(log: AuditLog): void {
  if (!canAudit(log)) throw new ProblemError('audit_unavailable', {retryAfter: auditRetry});
}

/** An organization, identified by one of its API keys. */
export interface OrganizationCaller {
  readonly kind: 'organization';
  readonly key: ApiKeyRecord;
  readonly scope: {readonly organization: string};
}

/** An organization or a connector. A connector's key is proven only when its scope finds the connector. */
export type Caller =
  | OrganizationCaller
  | {readonly kind: 'connector'; readonly scope: {readonly keyHash: string}};

/**
 * Authenticates a caller by `Authorization: Bearer KEY` (RFC 6750 §2.1), or the bare key in `X-API-Key`.
 *
 * @throws ProblemError `key_…` when it refuses the key
 */
export async function authenticate(
  request: FastifyRequest,
  operation: Operation,
  context: Context,
): Promise<Caller> {
  const key = readKey(request);
  const kind = claimedKind(key);
  if (kind === undefined) throw new ProblemError('key_unknown');
  if (kind === 'activationToken') {
    throw new ProblemError('key_malformed', {
      detail: 'This is an activation token. It can only activate a connector.',
    });
  }
  if (!isWellFormedSecret(kind, key)) throw new ProblemError('key_malformed');
  const hash = hashSecret(key);
  if (kind === 'organizationKey') return authenticateOrganization(hash, operation, context);
  if (routes[operation].access === 'organization') {
    throw new ProblemError('key_forbidden', {
      detail: "A connector's key can only read that connector and send its heartbeats.",
    });
  }
  return {kind: 'connector', scope: {keyHash: hash}};
}

/** Refuses a connector's own key once it is revoked or replaced. @throws ProblemError `key_revoked` */
export function refuseRevoked({scope}: Caller, connector: ConnectorRecord): void {
  if ('keyHash' in scope && evaluateKey(connector, scope.keyHash) === 'revoked') {
    throw new ProblemError('key_revoked');
  }
}

/** The error for a connector that was not found: to a connector its key is unknown, to an organization the id. */
export function notFound(caller: Caller): ProblemError {
  return new ProblemError(caller.kind === 'connector' ? 'key_unknown' : 'connector_unknown');
}

async function authenticateOrganization(
  hash: string,
  operation: Operation,
  {store, now, noteKeyUse}: Context,
): Promise<OrganizationCaller> {
  const record = await store.findApiKey(hash);
  if (record === undefined || !hashesEqual(record.hash, hash)) {
    throw new ProblemError('key_unknown');
  }
  const at = now();
  if (record.revokedAt !== null) throw new ProblemError('key_revoked');
  if (record.expiresAt !== null && at >= record.expiresAt) throw new ProblemError('key_expired');
  noteKeyUse(record, at);
  if (!keyAllows[operation][record.access]) {
    throw new ProblemError('key_read_only', {
      detail: 'Ask the operator of the service for a key with full access.',
    });
  }
  return {kind: 'organization', key: record, scope: {organization: record.organization}};
}

function readKey(request: FastifyRequest): string {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    // The scheme is case-insensitive (RFC 9110 §11.1).
    const [, key] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
    if (key !== undefined) return key;
    throw new ProblemError('key_missing', {
      detail: 'The Authorization header must have the scheme Bearer, a space and the API key.',
    });
  }
  const bare = request.headers[headers.apiKey];
  if (typeof bare === 'string' && bare !== '') return bare.trim();
  throw new ProblemError('key_missing', {
    detail: 'Send the API key in the Authorization header, with the scheme Bearer.',
  });
}
