import * as z from 'zod/mini';
import {connectorStatuses} from './limits.js';
import {ConnectorName, type ConnectorStatus, Timestamp} from './resources.js';
import type {SandboxOperation} from './sandbox-endpoints.js';

/** The bodies and responses of the sandbox's control routes. */

const count = z.int().check(z.minimum(0));
const jsonObject = {error: 'must be a JSON object'};

/** The number of connectors in each status. */
const countByStatus = z.object(
  Object.fromEntries(connectorStatuses.map((status) => [status, count])) as Record<
    ConnectorStatus,
    typeof count
  >,
);

/** The organization of the created records. Default: the initial organization of the sandbox. */
const organization = z.optional(z.string().check(z.regex(/^[a-z0-9._-]{1,64}$/)));

/** Maximum number of connectors per call. */
const largestFleet = 200_000;

/** Maximum number of names per call. */
const mostNames = 1000;

/** Maximum number of connectors per call whose API keys are returned. */
export const largestShownFleet = 10_000;

/** Maximum number of seconds per advance of the clock: ten years. */
const furthestAdvance = 10 * 366 * 24 * 60 * 60;

/** The current state of the sandbox; advance and reset return it too. */
export const SandboxStatus = z.object({
  clock: z.enum(['frozen', 'running']),
  /** Virtual seconds per real second while the clock runs. */
  rate: z.number(),
  /** Virtual time. */
  now: Timestamp,
  started_at: Timestamp,
  seed: count,
  /** In virtual seconds; responses to clients have the interval in real seconds. */
  heartbeat_interval_seconds: z.number(),
  connectors: countByStatus,
  faults: count,
  requests: count,
});
export type SandboxStatus = z.infer<typeof SandboxStatus>;

const AdvanceBody = z.object(
  {seconds: z.number().check(z.positive(), z.maximum(furthestAdvance))},
  jsonObject,
);

const FaultBody = z.object({spec: z.string()}, jsonObject);

/** A fault and its effects so far. */
export const SandboxFault = z.object({
  id: count,
  spec: z.string(),
  /** Number of matching requests since it was added. */
  matched: count,
  applied: count,
  /** True once it can no longer act. */
  done: z.boolean(),
});
export type SandboxFault = z.infer<typeof SandboxFault>;

const SandboxFaults = z.object({faults: z.array(SandboxFault)});

/** The id of a fault in a path. */
const FaultParams = z.object({
  id: z.string().check(z.regex(/^[1-9]\d{0,8}$/, {error: 'must be the number of a fault'})),
});

export const FleetBody = z.object(
  {
    /** Without it, that of `names`. */
    count: z.optional(count.check(z.minimum(1), z.maximum(largestFleet))),
    /** Default: `fleet-000001` and so on. */
    names: z.optional(z.array(ConnectorName).check(z.minLength(1), z.maxLength(mostNames))),
    /** Whether the response has the connectors with their API keys. */
    credentials: z._default(z.boolean(), false),
    stale: z._default(count, 0),
    offline: z._default(count, 0),
    never: z._default(count, 0),
    revoked: z._default(count, 0),
    organization,
  },
  jsonObject,
);

/** A connector of a fleet, with its own API key. */
const FleetConnector = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(connectorStatuses),
  api_key: z.string(),
});
export type FleetConnector = z.infer<typeof FleetConnector>;

/** The number of connectors created per status, and the names of the first and the last. */
export const SandboxFleet = z.object({
  organization: z.string(),
  connectors: countByStatus,
  first_name: z.string(),
  last_name: z.string(),
  /** With `credentials`: each connector with its API key, in the order of the names. */
  created: z.optional(z.array(FleetConnector)),
});
export type SandboxFleet = z.infer<typeof SandboxFleet>;

const OrganizationBody = z.object({organization}, jsonObject);

/** An activation token in each possible state. */
export const SandboxTokens = z.object({
  usable: z.string(),
  used: z.string(),
  expired: z.string(),
  unknown: z.string(),
  malformed: z.string(),
});
export type SandboxTokens = z.infer<typeof SandboxTokens>;

/** A new API key of an organization. */
export const SandboxKey = z.object({
  id: z.string(),
  organization: z.string(),
  api_key: z.string(),
});
export type SandboxKey = z.infer<typeof SandboxKey>;

/** What a request tells of its `Idempotency-Key`: it has none, or one that came the first time, or came before. */
const idempotency = z.enum(['none', 'first', 'repeat']);

/** A request from a client, and its result. */
export const SandboxRequest = z.object({
  number: count,
  /** Virtual time of arrival. */
  at: Timestamp,
  method: z.string(),
  path: z.string(),
  /** Null if the path or the method is not in the interface. */
  operation: z.nullable(z.string()),
  /** The connector in the path, or the one that an activation returned. */
  connector_id: z.nullable(z.string()),
  idempotency,
  /** The status that was sent; null if there was no response. */
  status: z.nullable(z.int()),
  /** The faults that acted on it. */
  faults: z.array(z.string()),
});
export type SandboxRequest = z.infer<typeof SandboxRequest>;

/** The requests of clients, oldest first; `total` includes those no longer kept. */
export const SandboxRequests = z.object({total: count, requests: z.array(SandboxRequest)});
export type SandboxRequests = z.infer<typeof SandboxRequests>;

/** What a control route takes and returns. */
export interface SandboxRoute {
  readonly summary: string;
  readonly description: string;
  readonly params?: z.ZodMiniType;
  readonly body?: {readonly schema: z.ZodMiniType; readonly required: boolean};
  readonly response: z.ZodMiniType;
}

/** The schemas of the body and response of each control route. */
export const sandboxRoutes = {
  status: {
    summary: 'Show the state of the sandbox',
    description:
      'Returns the clock, the connectors by status, and the number of faults and requests.',
    response: SandboxStatus,
  },
  advance: {
    summary: 'Advance the virtual clock',
    description: 'The clock never goes back.',
    body: {schema: AdvanceBody, required: true},
    response: SandboxStatus,
  },
  addFault: {
    summary: 'Add a fault',
    description: 'Changes the responses to the requests that `spec` selects.',
    body: {schema: FaultBody, required: true},
    response: SandboxFault,
  },
  listFaults: {
    summary: 'List the faults',
    description: 'Returns each fault with the number of requests that it matched and changed.',
    response: SandboxFaults,
  },
  clearFaults: {
    summary: 'Remove all faults',
    description: 'Removes the faults of `--fault` too, until the next reset.',
    response: SandboxFaults,
  },
  removeFault: {
    summary: 'Remove one fault',
    description: 'Returns the faults that remain.',
    params: FaultParams,
    response: SandboxFaults,
  },
  createFleet: {
    summary: 'Create connectors in any mix of states',
    description:
      'Those in no other state are online. Takes `count` or `names`; names get the states in the order never, online, stale, offline, revoked.',
    body: {schema: FleetBody, required: true},
    response: SandboxFleet,
  },
  createTokens: {
    summary: 'Create an activation token of each kind',
    description:
      'Returns one token for each outcome of an activation. The used one has activated a connector with the name `used-token`.',
    body: {schema: OrganizationBody, required: false},
    response: SandboxTokens,
  },
  createKey: {
    summary: 'Create an API key',
    description: 'An organization exists from its first key on.',
    body: {schema: OrganizationBody, required: false},
    response: SandboxKey,
  },
  listRequests: {
    summary: 'List what clients sent',
    description: 'Returns the last 10,000 requests without headers, bodies and secrets.',
    response: SandboxRequests,
  },
  clearRequests: {
    summary: 'List what clients sent, and remove it',
    description: 'The next request has the number 1, and each Idempotency-Key is new again.',
    response: SandboxRequests,
  },
  reset: {
    summary: 'Remove connectors, tokens, requests and added faults',
    description: 'Keeps the API keys and the clock, and restarts the faults of `--fault`.',
    response: SandboxStatus,
  },
} as const satisfies Record<SandboxOperation, SandboxRoute>;
