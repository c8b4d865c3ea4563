import * as z from 'zod/mini';
import {keyAccesses} from '../../contract/index.js';
import type {SandboxKey} from '../../contract/sandbox.js';
import {createFleet, FleetBody, organization} from './fleet.js';
import type {Sandbox} from './sandbox.js';

export interface ControlRoute<Body extends z.ZodMiniType, Response> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: {readonly schema: Body; readonly required: boolean};
  handle(sandbox: Sandbox, body: z.output<Body>): Response | Promise<Response>;
}

const jsonObject = {error: 'must be a JSON object'};
const AdvanceBody = z.object({seconds: z.number().check(z.positive())}, jsonObject);
const FaultBody = z.object({spec: z.string()}, jsonObject);
const KeyBody = z.object(
  {
    organization,
    access: z._default(z.enum(keyAccesses), 'full'),
    ttl_seconds: z.optional(z.int().check(z.minimum(1), z.maximum(1e9))),
  },
  jsonObject,
);

/** All control routes of a sandbox; docs/sandbox.md describes them. */
export const controlRoutes = {
  status: route({
    method: 'GET',
    path: '/_sandbox/status',
    handle: (sandbox) => sandbox.status(),
  }),
  advance: route({
    method: 'POST',
    path: '/_sandbox/advance',
    body: {schema: AdvanceBody, required: true},
    handle(sandbox, {seconds}) {
      sandbox.clock.advance(seconds * 1000);
      return sandbox.status();
    },
  }),
  addFault: route({
    method: 'POST',
    path: '/_sandbox/faults',
    body: {schema: FaultBody, required: true},
    handle: ({faults}, {spec}) => faults.add(spec),
  }),
  listFaults: route({
    method: 'GET',
    path: '/_sandbox/faults',
    handle: ({faults}) => ({faults: faults.list()}),
  }),
  clearFaults: route({
    method: 'DELETE',
    path: '/_sandbox/faults',
    handle({faults}) {
      faults.clear();
      return {faults: []};
    },
  }),
  createFleet: route({
    method: 'POST',
    path: '/_sandbox/fleet',
    body: {schema: FleetBody, required: true},
    handle: createFleet,
  }),
  createKey: route({
    method: 'POST',
    path: '/_sandbox/keys',
    body: {schema: KeyBody, required: false},
    async handle(sandbox, body): Promise<SandboxKey> {
      const {record, secret} = await sandbox.createKey(body);
      return {id: record.id, organization: record.organization, api_key: secret};
    },
  }),
  listRequests: route({
    method: 'GET',
    path: '/_sandbox/requests',
    handle: ({journal}) => journal.list(),
  }),
  clearRequests: route({
    method: 'DELETE',
    path: '/_sandbox/requests',
    handle({journal}) {
      const removed = journal.list();
      journal.clear();
      return removed;
    },
  }),
  reset: route({
    method: 'POST',
    path: '/_sandbox/reset',
    async handle(sandbox) {
      await sandbox.reset();
      return sandbox.status();
    },
  }),
};

export type ControlOperation = keyof typeof controlRoutes;

/** Infers the types of the body and the response. */
function route<Body extends z.ZodMiniType, Response>(
  definition: ControlRoute<Body, Response>,
): ControlRoute<Body, Response> {
  return definition;
}
