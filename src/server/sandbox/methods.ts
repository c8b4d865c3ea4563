import * as z from 'zod/mini';
import {keyAccesses} from '../../contract/index.js';
import type {SandboxKey, sandboxRoutes} from '../../contract/sandbox.js';
import type {ControlMethod} from '../control/loopback.js';
import {createFleet, FleetBody, organization} from './fleet.js';
import type {Sandbox} from './sandbox.js';

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

/** The methods of a sandbox, over loopback or with the control token; docs/sandbox.md describes them. */
export const sandboxMethods = {
  status: method({
    handle: (sandbox) => sandbox.status(),
  }),
  advance: method({
    body: {schema: AdvanceBody, required: true},
    handle(sandbox, {seconds}) {
      sandbox.clock.advance(seconds * 1000);
      return sandbox.status();
    },
  }),
  addFault: method({
    body: {schema: FaultBody, required: true},
    handle: ({faults}, {spec}) => faults.add(spec),
  }),
  listFaults: method({
    handle: ({faults}) => ({faults: faults.list()}),
  }),
  clearFaults: method({
    handle({faults}) {
      faults.clear();
      return {faults: []};
    },
  }),
  createFleet: method({
    body: {schema: FleetBody, required: true},
    handle: createFleet,
  }),
  createKey: method({
    body: {schema: KeyBody, required: false},
    async handle(sandbox, body): Promise<SandboxKey> {
      const {record, secret} = await sandbox.createKey(body);
      return {id: record.id, organization: record.organization, api_key: secret};
    },
  }),
  listRequests: method({
    handle: ({journal}) => journal.list(),
  }),
  clearRequests: method({
    handle({journal}) {
      const removed = journal.list();
      journal.clear();
      return removed;
    },
  }),
  reset: method({
    async handle(sandbox) {
      await sandbox.reset();
      return sandbox.status();
    },
  }),
} satisfies Record<keyof typeof sandboxRoutes, unknown>;

/** Infers the types of the body and the response. */
function method<Body extends z.ZodMiniType, Response>(
  definition: ControlMethod<Sandbox, Body, Response>,
): ControlMethod<Sandbox, Body, Response> {
  return definition;
}
