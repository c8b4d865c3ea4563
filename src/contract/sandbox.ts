import * as z from 'zod/mini';
import type {Operation} from './endpoints.js';
import {connectorStatuses} from './limits.js';
import {type ConnectorStatus, Timestamp} from './resources.js';

/** The names of operations in faults and in the list of requests; `*` means all. */
export const faultOperations: ReadonlyMap<string, Operation | '*'> = new Map([
  ['create-token', 'createToken'],
  ['activate', 'activate'],
  ['list', 'list'],
  ['get', 'get'],
  ['heartbeat', 'heartbeat'],
  ['*', '*'],
]);

/** The responses of the sandbox's control routes. */

const count = z.int().check(z.minimum(0));

/** The number of connectors in each status. */
const countByStatus = z.object(
  Object.fromEntries(connectorStatuses.map((status) => [status, count])) as Record<
    ConnectorStatus,
    typeof count
  >,
);

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

export const SandboxFaults = z.object({faults: z.array(SandboxFault)});

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

/** A request from a client, and its result. */
const SandboxRequest = z.object({
  number: count,
  /** Virtual time of arrival. */
  at: Timestamp,
  method: z.string(),
  path: z.string(),
  /** Null if the path or the method is not in the interface. */
  operation: z.nullable(z.string()),
  /** The connector in the path, or the one that an activation returned. */
  connector_id: z.nullable(z.string()),
  /** Whether its `Idempotency-Key` came for the first time, or came before. */
  idempotency: z.enum(['none', 'first', 'repeat']),
  /** The status that was sent; null if there was no response. */
  status: z.nullable(z.int()),
  /** The faults that acted on it. */
  faults: z.array(z.string()),
});
export type SandboxRequest = z.infer<typeof SandboxRequest>;

/** The requests of clients, oldest first; `total` includes those no longer kept. */
export const SandboxRequests = z.object({total: count, requests: z.array(SandboxRequest)});
