import * as z from 'zod/mini';
import {keyAccesses} from '../../contract/index.js';
import type {SandboxKey, sandboxRoutes} from '../../contract/sandbox.js';
import {createFleet, FleetBody, organization} from './fleet.js';
import type {Sandbox} from './sandbox.js';

/** What a control route does. */
export interface ControlHandler<Body extends z.ZodMiniType, Response> {
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

/** The handlers of the control routes; docs/sandbox.md describes them. */
export const controlHandlers = {
  status: handler({
    handle: (sandbox) => sandbox.status(),
  }),
  advance: handler({
    body: {schema: AdvanceBody, required: true},
    handle(sandbox, {seconds}) {
      sandbox.clock.advance(seconds * 1000);
      return sandbox.status();
    },
  }),
  addFault: handler({
    body: {schema: FaultBody, required: true},
    handle: ({faults}, {spec}) => faults.add(spec),
  }),
  listFaults: handler({
    handle: ({faults}) => ({faults: faults.list()}),
  }),
  clearFaults: handler({
    handle({faults}) {
      faults.clear();
      return {faults: []};
    },
  }),
  createFleet: handler({
    body: {schema: FleetBody, required: true},
    handle: createFleet,
  }),
  createKey: handler({
    body: {schema: KeyBody, required: false},
    async handle(sandbox, body): Promise<SandboxKey> {
      const {record, secret} = await sandbox.createKey(body);
      return {id: record.id, organization: record.organization, api_key: secret};
    },
  }),
  listRequests: handler({
    handle: ({journal}) => journal.list(),
  }),
  clearRequests: handler({
    handle({journal}) {
      const removed = journal.list();
      journal.clear();
      return removed;
    },
  }),
  reset: handler({
    async handle(sandbox) {
      await sandbox.reset();
      return sandbox.status();
    },
  }),
} satisfies Record<keyof typeof sandboxRoutes, unknown>;

/** Infers the types of the body and the response. */
function handler<Body extends z.ZodMiniType, Response>(
  definition: ControlHandler<Body, Response>,
): ControlHandler<Body, Response> {
  return definition;
}
