import * as z from 'zod/mini';
import {connectorStatuses} from './limits.js';
import {Timestamp} from './resources.js';
import type {SandboxOperation} from './sandbox-endpoints.js';

/** The bodies and responses of the sandbox's control routes. */

const count = z.int().check(z.minimum(0));
const jsonObject = {error: 'must be a JSON object'};

/** The organization that something is made for. Default: the one that the sandbox begins with. */
const organization = z.optional(z.string().check(z.regex(/^[a-z0-9._-]{1,64}$/)));

/** How many connectors one call may make. */
const largestFleet = 200_000;

/** How many seconds the clock may be advanced by at once: ten years. */
const furthestAdvance = 10 * 366 * 24 * 60 * 60;

/** What the sandbox is at a moment; advancing and resetting return it too. */
export const SandboxStatus = z.object({
  clock: z.enum(['frozen', 'running']),
  /** Virtual seconds that pass in a real one while the clock runs. */
  rate: z.number(),
  /** Virtual time. */
  now: Timestamp,
  started_at: Timestamp,
  seed: count,
  /** Virtual seconds; clients are told the interval in real ones. */
  heartbeat_interval_seconds: z.number(),
  connectors: z.record(z.enum(connectorStatuses), count),
  faults: count,
  requests: count,
});
export type SandboxStatus = z.infer<typeof SandboxStatus>;

export const AdvanceBody = z.object(
  {seconds: z.number().check(z.positive(), z.maximum(furthestAdvance))},
  jsonObject,
);

export const FaultBody = z.object({spec: z.string()}, jsonObject);

/** A fault and what it has done so far. */
export const SandboxFault = z.object({
  id: count,
  spec: z.string(),
  /** Requests of its operation since it was added. */
  matched: count,
  applied: count,
  /** It acts no more. */
  done: z.boolean(),
});
export type SandboxFault = z.infer<typeof SandboxFault>;

export const SandboxFaults = z.object({faults: z.array(SandboxFault)});

export const FleetBody = z.object(
  {
    count: count.check(z.minimum(1), z.maximum(largestFleet)),
    stale: z._default(count, 0),
    offline: z._default(count, 0),
    never: z._default(count, 0),
    revoked: z._default(count, 0),
    organization,
  },
  jsonObject,
);

/** How many connectors of each status were made, and what the first and the last are called. */
export const SandboxFleet = z.object({
  organization: z.string(),
  connectors: z.record(z.enum(connectorStatuses), count),
  first_name: z.string(),
  last_name: z.string(),
});
export type SandboxFleet = z.infer<typeof SandboxFleet>;

export const OrganizationBody = z.object({organization}, jsonObject);

/** An activation token in each state that a client may meet. */
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

/** A request as a client sent it, and what became of it. */
export const SandboxRequest = z.object({
  number: count,
  /** Virtual time of its arrival. */
  at: Timestamp,
  method: z.string(),
  path: z.string(),
  /** Null for a path or a method that the interface does not have. */
  operation: z.nullable(z.string()),
  /** The status that was sent; null when no response was. */
  status: z.nullable(z.int()),
  /** The faults that it met. */
  faults: z.array(z.string()),
});
export type SandboxRequest = z.infer<typeof SandboxRequest>;

/** The requests of clients, oldest first; `total` counts those that are no longer kept too. */
export const SandboxRequests = z.object({total: count, requests: z.array(SandboxRequest)});
export type SandboxRequests = z.infer<typeof SandboxRequests>;

interface SandboxRoute {
  readonly summary: string;
  readonly body?: {readonly schema: z.ZodMiniType; readonly required: boolean};
  readonly response: z.ZodMiniType;
}

/** What each control route takes and returns. */
export const sandboxRoutes = {
  status: {summary: 'What the sandbox is now', response: SandboxStatus},
  advance: {
    summary: 'Advance the virtual clock',
    body: {schema: AdvanceBody, required: true},
    response: SandboxStatus,
  },
  addFault: {
    summary: 'Add a fault',
    body: {schema: FaultBody, required: true},
    response: SandboxFault,
  },
  listFaults: {summary: 'List the faults', response: SandboxFaults},
  clearFaults: {summary: 'Remove all faults', response: SandboxFaults},
  createFleet: {
    summary: 'Make connectors in any mix of states',
    body: {schema: FleetBody, required: true},
    response: SandboxFleet,
  },
  createTokens: {
    summary: 'Make an activation token of each kind',
    body: {schema: OrganizationBody, required: false},
    response: SandboxTokens,
  },
  createKey: {
    summary: 'Make an API key',
    body: {schema: OrganizationBody, required: false},
    response: SandboxKey,
  },
  listRequests: {summary: 'List what clients sent', response: SandboxRequests},
  reset: {
    summary: 'Remove connectors, tokens, requests and added faults; keys and the clock stay',
    response: SandboxStatus,
  },
} as const satisfies Record<SandboxOperation, SandboxRoute>;
