import type * as z from 'zod/mini';
import {type Endpoint, endpoints, type Operation} from './endpoints.js';
import type {KeyAccess} from './limits.js';
import type {ProblemCode} from './problems.js';
import {
  ActivateBody,
  ActivatedConnector,
  ActivationToken,
  Connector,
  ConnectorList,
  ConnectorParams,
  CreateTokenBody,
  Health,
  Heartbeat,
  ListQuery,
  Readiness,
} from './resources.js';

/**
 * The callers that an operation of the reference service allows (interface §5: not shown).
 * `organization`: the organization's API key. `connector`: also the connector's own key, for itself.
 * `none`: anyone; an activation is authorized by its token.
 */
export type Access = 'none' | 'organization' | 'connector';

/**
 * The operations that an organization's API key may call, by its access. The type requires an entry for each new
 * operation, so that none is open to readers by accident. An activation is authorized by its token alone, with any key
 * and without one.
 */
export const keyAllows = {
  createToken: {full: true, read: false},
  activate: {full: true, read: true},
  list: {full: true, read: true},
  get: {full: true, read: true},
  heartbeat: {full: true, read: false},
} as const satisfies Record<Operation, Record<KeyAccess, boolean>>;

/** One operation: its endpoint, its input, and all its responses. */
export interface Route extends Endpoint {
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  readonly params?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
  /** `required: false` where the interface describes no body and ours is an extension. */
  readonly body?: {readonly schema: z.ZodMiniType; readonly required: boolean};
  readonly success: {readonly status: 200 | 201; readonly schema: z.ZodMiniType};
  /** The problems of this operation alone; `commonProblems` has those of every operation. */
  readonly problems: readonly ProblemCode[];
}

const keyProblems = [
  'key_missing',
  'key_malformed',
  'key_unknown',
  'key_revoked',
  'key_expired',
  'key_forbidden',
] as const satisfies readonly ProblemCode[];

/** The five operations of the interface (interface §4.1 to §4.5). */
export const routes = {
  createToken: {
    ...endpoints.createToken,
    summary: 'Create an activation token',
    description:
      'Returns a token that activates one connector before it expires. The body is optional.',
    access: 'organization',
    body: {schema: CreateTokenBody, required: false},
    success: {status: 201, schema: ActivationToken},
    problems: [...keyProblems, 'key_read_only', 'too_many_tokens', 'audit_unavailable'],
  },
  activate: {
    ...endpoints.activate,
    summary: 'Activate a connector with an activation token and a name',
    description:
      'Uses up the token, and returns the connector with its API key. Only a repetition of this request returns that key again.',
    access: 'none',
    body: {schema: ActivateBody, required: true},
    success: {status: 201, schema: ActivatedConnector},
    problems: [
      'token_malformed',
      'token_unknown',
      'token_used',
      'token_expired',
      'rate_limited',
      'too_many_connectors',
      'audit_unavailable',
    ],
  },
  list: {
    ...endpoints.list,
    summary: "List the connectors of the caller's organization",
    description: 'Returns all connectors, or with `limit` or `cursor` one page of them.',
    access: 'organization',
    query: ListQuery,
    success: {status: 200, schema: ConnectorList},
    problems: [...keyProblems, 'too_many_lists'],
  },
  get: {
    ...endpoints.get,
    summary: 'Get one connector',
    description: "A connector's own API key reads only that connector.",
    access: 'connector',
    params: ConnectorParams,
    success: {status: 200, schema: Connector},
    problems: [...keyProblems, 'connector_unknown'],
  },
  heartbeat: {
    ...endpoints.heartbeat,
    summary: 'Signal that a connector is alive',
    description: 'Records the time, and returns the interval until the next heartbeat is due.',
    access: 'connector',
    params: ConnectorParams,
    success: {status: 200, schema: Heartbeat},
    problems: [...keyProblems, 'key_read_only', 'connector_unknown'],
  },
} as const satisfies Record<Operation, Route>;

/** Routes about the reference service itself. */
export const serviceRoutes = {
  health: {
    path: '/healthz',
    summary: 'Whether the process runs',
    description: 'For liveness probes. Does not depend on the store.',
    schema: Health,
  },
  ready: {
    path: '/readyz',
    summary: 'Whether the store can be read and written, and has an API key',
    description: 'For readiness probes.',
    schema: Readiness,
    problems: ['no_api_key'],
  },
  openapi: {
    path: '/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    description: 'Lists every response of every path.',
  },
  metrics: {
    path: '/metrics',
    summary: 'Metrics in the Prometheus text format',
    description: 'Exists only for the addresses that the operator allows.',
  },
} as const;

/** Problems of every operation. */
export const commonProblems = [
  'body_malformed',
  'request_invalid',
  'route_unknown',
  'method_not_allowed',
  'body_too_large',
  'uri_too_long',
  'internal',
  'overloaded',
  'store_unavailable',
  'stopping',
  'store_full',
] as const satisfies readonly ProblemCode[];
