import * as z from 'zod/mini';
import {keyAccesses} from '../../contract/index.js';
import {
  SandboxFault,
  SandboxFaults,
  SandboxFleet,
  SandboxKey,
  SandboxRequests,
  SandboxStatus,
  SandboxTokens,
} from '../../contract/sandbox.js';
import {statusBounds} from '../../domain/liveness.js';
import {timestamp} from '../../domain/timestamp.js';
import type {StoreAdmin} from '../admin/types.js';
import type {Context} from '../context.js';
import {invalidBody} from '../http/problems.js';
import type {VirtualClock} from './clock.js';
import type {Faults} from './faults.js';
import {createFleet, FleetBody, type FleetNames, organization} from './fleet.js';
import type {Journal} from './journal.js';
import {FaultSpecError} from './spec.js';
import {createTokens} from './tokens.js';

/** What the control routes read and change. */
export interface SandboxControl {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly context: Context;
  readonly admin: StoreAdmin;
  readonly fleetNames: FleetNames;
  /** Carries out pieces of work one after the other: a reset in the middle of a fleet would leave half of it. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Restores the store, the faults and the journal of a new sandbox. */
  readonly reset: () => Promise<void>;
}

/** One control route: its part of the OpenAPI document, and what it does. */
export interface ControlRoute<Body extends z.ZodMiniType, Response extends z.ZodMiniType> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: typeof FaultParams;
  readonly body?: {readonly schema: Body; readonly required: boolean};
  readonly response: Response;
  handle(
    sandbox: SandboxControl,
    body: z.output<Body>,
    params: z.output<typeof FaultParams>,
  ): z.output<Response> | Promise<z.output<Response>>;
}

const jsonObject = {error: 'must be a JSON object'};

/** Maximum number of seconds per advance of the clock: ten years. */
const furthestAdvance = 10 * 366 * 24 * 60 * 60;

/** The latest time with a four-digit year, which ids can also represent. */
const latestTime = Date.UTC(9990, 0, 1);

const AdvanceBody = z.object(
  {seconds: z.number().check(z.positive(), z.maximum(furthestAdvance))},
  jsonObject,
);
const FaultBody = z.object({spec: z.string()}, jsonObject);
const KeyBody = z.object(
  {organization, access: z._default(z.enum(keyAccesses), 'full')},
  jsonObject,
);
const OrganizationBody = z.object({organization}, jsonObject);

/** The id of a fault in a path. */
const FaultParams = z.object({
  id: z.string().check(z.regex(/^[1-9]\d{0,8}$/, {error: 'must be the number of a fault'})),
});

/** All control routes of `serve --sandbox`. */
export const controlRoutes = {
  status: route({
    method: 'GET',
    path: '/_sandbox/status',
    summary: 'Show the state of the sandbox',
    description:
      'Returns the clock, the connectors by status, and the number of faults and requests.',
    response: SandboxStatus,
    handle: statusOf,
  }),
  advance: route({
    method: 'POST',
    path: '/_sandbox/advance',
    summary: 'Advance the virtual clock',
    description: 'The clock never goes back.',
    body: {schema: AdvanceBody, required: true},
    response: SandboxStatus,
    handle(sandbox, {seconds}) {
      const {clock} = sandbox;
      if (clock.now() + seconds * 1000 > latestTime) {
        throw invalidBody('/seconds', 'must not lead beyond the year 9990');
      }
      clock.advance(seconds * 1000);
      // Expiry, liveness and faults are computed from the current time when they are read; no timers.
      return statusOf(sandbox);
    },
  }),
  addFault: route({
    method: 'POST',
    path: '/_sandbox/faults',
    summary: 'Add a fault',
    description: 'Changes the responses to the requests that `spec` selects.',
    body: {schema: FaultBody, required: true},
    response: SandboxFault,
    handle({faults}, {spec}) {
      try {
        return faults.add(spec);
      } catch (error) {
        if (error instanceof FaultSpecError) throw invalidBody('/spec', error.message);
        throw error;
      }
    },
  }),
  listFaults: route({
    method: 'GET',
    path: '/_sandbox/faults',
    summary: 'List the faults',
    description: 'Returns each fault with the number of requests that it matched and changed.',
    response: SandboxFaults,
    handle: ({faults}) => ({faults: faults.list()}),
  }),
  clearFaults: route({
    method: 'DELETE',
    path: '/_sandbox/faults',
    summary: 'Remove all faults',
    description: 'Removes those of the start too, until the next reset.',
    response: SandboxFaults,
    handle({faults}) {
      faults.clear();
      return {faults: []};
    },
  }),
  removeFault: route({
    method: 'DELETE',
    path: '/_sandbox/faults/{id}',
    summary: 'Remove one fault',
    description: 'Returns the faults that remain.',
    params: FaultParams,
    response: SandboxFaults,
    handle({faults}, _, {id}) {
      if (!faults.remove(Number(id))) throw invalidBody('/id', 'is no fault of this sandbox');
      return {faults: faults.list()};
    },
  }),
  createFleet: route({
    method: 'POST',
    path: '/_sandbox/fleet',
    summary: 'Create connectors in any mix of states',
    description:
      'Those in no other state are online. Takes `count` or `names`; names get the states in the order never, online, stale, offline, revoked.',
    body: {schema: FleetBody, required: true},
    response: SandboxFleet,
    handle: ({context, fleetNames, inTurn}, body) =>
      inTurn(() => createFleet(context, body, fleetNames)),
  }),
  createTokens: route({
    method: 'POST',
    path: '/_sandbox/tokens',
    summary: 'Create an activation token of each kind',
    description:
      'Returns one token for each outcome of an activation. The used one has activated a connector with the name `used-token`.',
    body: {schema: OrganizationBody, required: false},
    response: SandboxTokens,
    handle: ({context, inTurn}, body) => inTurn(() => createTokens(context, body.organization)),
  }),
  createKey: route({
    method: 'POST',
    path: '/_sandbox/keys',
    summary: 'Create an API key',
    description: 'An organization exists from its first key on.',
    body: {schema: KeyBody, required: false},
    response: SandboxKey,
    async handle({admin}, body) {
      const key = {...body, description: 'Made by the sandbox', expiresAt: null};
      const {record, secret} = await admin.create(key);
      return {id: record.id, organization: record.organization, api_key: secret};
    },
  }),
  listRequests: route({
    method: 'GET',
    path: '/_sandbox/requests',
    summary: 'List what clients sent',
    description: 'Returns the last 10,000 requests without headers, bodies and secrets.',
    response: SandboxRequests,
    handle: ({journal}) => journal.list(),
  }),
  clearRequests: route({
    method: 'DELETE',
    path: '/_sandbox/requests',
    summary: 'List what clients sent, and remove it',
    description: 'The next request has the number 1, and each Idempotency-Key is new again.',
    response: SandboxRequests,
    handle({journal}) {
      const removed = journal.list();
      journal.clear();
      return removed;
    },
  }),
  reset: route({
    method: 'POST',
    path: '/_sandbox/reset',
    summary: 'Remove connectors, tokens, requests and added faults',
    description: 'Keeps the API keys and the clock, and restarts the faults of the start.',
    response: SandboxStatus,
    handle: (sandbox) =>
      sandbox.inTurn(async () => {
        await sandbox.reset();
        sandbox.fleetNames.reset();
        return statusOf(sandbox);
      }),
  }),
};

/** The name of a control route. */
export type ControlOperation = keyof typeof controlRoutes;

/** Infers the types of the body and the response. */
function route<Body extends z.ZodMiniType, Response extends z.ZodMiniType>(
  definition: ControlRoute<Body, Response>,
): ControlRoute<Body, Response> {
  return definition;
}

async function statusOf({seed, clock, faults, journal, context}: SandboxControl) {
  const {store, heartbeatInterval} = context;
  const {connectors} = await store.measure(statusBounds(clock.now(), heartbeatInterval));
  return {
    clock: clock.mode,
    rate: clock.rate,
    now: timestamp(clock.now()),
    started_at: timestamp(clock.startedAt),
    seed,
    heartbeat_interval_seconds: heartbeatInterval,
    connectors: {...connectors},
    faults: faults.list().length,
    requests: journal.total,
  };
}
