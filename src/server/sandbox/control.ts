import {isIP} from 'node:net';
import type {FastifyInstance, FastifyRequest} from 'fastify';
import * as z from 'zod/mini';
import {ConnectorName, type ConnectorStatus, keyAccesses} from '../../contract/index.js';
import {type SandboxFleet, type SandboxKey, sandboxRoutes} from '../../contract/sandbox.js';
import {firstKey} from '../../domain/activation.js';
import {onlineIntervals, staleIntervals} from '../../domain/liveness.js';
import type {ConnectorRecord} from '../../domain/records.js';
import {hashesEqual, hashSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {ProblemError} from '../http/problems.js';
import {isRelayed} from '../http/service-routes.js';
import {bodySchema} from '../http/validation.js';
import {isLoopbackHost} from '../net/addresses.js';
import {fraction} from './clock.js';
import type {Sandbox} from './sandbox.js';

/** Maximum number of generated connectors per call. */
const largestFleet = 200_000;

const jsonObject = {error: 'must be a JSON object'};
const count = z._default(z.int().check(z.minimum(0), z.maximum(largestFleet)), 0);

/** The organization of new records. Default: the first organization of the sandbox. */
const organization = z._default(z.string().check(z.regex(/^[a-z0-9._-]{1,64}$/)), 'default');

const FleetBody = z.object(
  {
    /** Number of connectors with generated names: `fleet-000001` and so on. */
    count,
    names: z._default(z.array(ConnectorName), []),
    never: count,
    stale: count,
    offline: count,
    revoked: count,
    organization,
  },
  jsonObject,
);
type FleetBody = z.output<typeof FleetBody>;

/** Minimum and maximum age of the last heartbeat for each status, in heartbeat intervals. */
const ages: Readonly<Record<Exclude<ConnectorStatus, 'never'>, readonly [number, number]>> = {
  online: [0, 1],
  stale: [onlineIntervals + 1, staleIntervals - 1],
  offline: [staleIntervals + 1, 60],
  revoked: [0, 1],
};

/** Age of the activation in heartbeat intervals: older than every heartbeat. */
const activationAge = 100;

/** Creates connectors whose last heartbeats match their statuses. Each status takes the next names, `never` first. */
async function createFleet(
  sandbox: Sandbox,
  {count, names: given, never, stale, offline, revoked, organization}: FleetBody,
): Promise<SandboxFleet> {
  const names = [...given, ...Array.from({length: count}, () => sandbox.fleetName())];
  if (names.length === 0) throw invalidBody('/count', 'must be a number, or there must be names');
  const online = names.length - never - stale - offline - revoked;
  if (online < 0) throw invalidBody('/count', 'must be at least the sum of the other numbers');
  const connectors = {never, online, stale, offline, revoked};
  const statuses = Object.entries(connectors).flatMap(([status, number]) =>
    Array<ConnectorStatus>(number).fill(status as ConnectorStatus),
  );
  const isStored = await sandbox.writer.write((tx) =>
    names.every((name, index) => {
      if (!tx.hasRoom(organization, 'connectors')) return false;
      const status = statuses[index] ?? 'online';
      tx.write({connectors: [makeConnector(sandbox, {organization, name}, status)]});
      return true;
    }),
  );
  if (!isStored) {
    const detail = 'The connectors that were created before the limit remain.';
    throw new ProblemError('too_many_connectors', {detail});
  }
  return {organization, connectors};
}

/** The error for a field of a body that is invalid although its schema accepts it. */
function invalidBody(path: string, message: string): ProblemError {
  const detail = 'The body was refused.';
  return new ProblemError('request_invalid', {detail, errors: [{path, message}]});
}

function makeConnector(
  {runtime, fleetRandom, heartbeatInterval}: Sandbox,
  fields: Pick<ConnectorRecord, 'organization' | 'name'>,
  status: ConnectorStatus,
): ConnectorRecord {
  const at = runtime.now();
  const interval = heartbeatInterval * 1000;
  const [from, to] = ages[status === 'never' ? 'online' : status];
  const age = from + fraction(fleetRandom) * (to - from);
  return {
    ...fields,
    ...firstKey,
    ...(status === 'revoked' && {revokedAt: at, revocationReason: 'Made by the sandbox'}),
    id: runtime.newId('con', at),
    // A random hash, which no key has: only the organization's API key can send heartbeats for these connectors.
    keyHash: Buffer.from(runtime.randomBytes(32)).toString('base64url'),
    activatedAt: at - activationAge * interval,
    lastHeartbeatAt: status === 'never' ? null : Math.floor(at - age * interval),
  };
}

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

/**
 * Registers the control routes of a sandbox. They need no API key, so that a short curl command is enough, but the
 * caller must send the control token or, if there is none, be a program on this machine. Web pages are refused:
 * browsers send `Origin` or `Sec-Fetch-Site`, and without a token a foreign host name that resolves to this machine
 * (DNS rebinding) is not accepted as `Host`.
 *
 * @param token the control token that each request must carry; undefined admits only programs on this machine, without
 *   a token
 */
export function mountControl(
  app: FastifyInstance,
  sandbox: Sandbox,
  token: string | undefined,
): void {
  const tokenHash = token && hashSecret(token);
  app.register(async (routes) => {
    routes.addHook('onRequest', (request, _reply, done) => done(refuse(request, tokenHash)));
    routes.setErrorHandler((error) => {
      if (!(error instanceof AppError)) throw error;
      throw new ProblemError('request_invalid', {detail: error.message});
    });
    for (const [name, definition] of Object.entries(definitions(sandbox))) {
      const {method, path: url} = sandboxRoutes[name as keyof typeof sandboxRoutes];
      routes.route({method, url, ...definition});
    }
  });
}

/** The body and the handler of each route; docs/sandbox.md describes them. */
function definitions(sandbox: Sandbox) {
  const {clock, faults} = sandbox;
  return {
    status: {handler: () => sandbox.status()},
    advance: withBody(AdvanceBody, ({seconds}) => {
      clock.advance(seconds * 1000);
      return sandbox.status();
    }),
    addFault: withBody(FaultBody, ({spec}) => faults.add(spec)),
    listFaults: {handler: async () => ({faults: faults.list()})},
    clearFaults: {
      async handler() {
        faults.clear();
        return {faults: []};
      },
    },
    createFleet: withBody(FleetBody, (body) => createFleet(sandbox, body)),
    createKey: withBody(
      bodySchema({schema: KeyBody, required: false}) as typeof KeyBody,
      async (body): Promise<SandboxKey> => {
        const {record, secret} = await sandbox.createKey(body);
        return {id: record.id, organization: record.organization, api_key: secret};
      },
    ),
    reset: {handler: () => sandbox.reset().then(() => sandbox.status())},
  } satisfies Record<keyof typeof sandboxRoutes, unknown>;
}

/** A route whose handler gets the body as its schema parses it. */
function withBody<Body extends z.ZodMiniType>(
  body: Body,
  handle: (body: z.output<Body>) => unknown,
) {
  return {
    schema: {body},
    handler: async (request: FastifyRequest) => handle(request.body as z.output<Body>),
  };
}

/** The reason to refuse a control request; undefined if it is allowed. */
function refuse(request: FastifyRequest, tokenHash: string | undefined): ProblemError | undefined {
  const {headers, socket} = request;
  const site = headers['sec-fetch-site'];
  const isPage = headers.origin !== undefined || (site !== undefined && site !== 'none');
  const isNear = isLoopbackHost(socket.remoteAddress ?? '') && isLocalName(request);
  if (isPage || isRelayed(request) || !(isNear || tokenHash)) {
    return new ProblemError('route_unknown', {
      detail:
        'A control request must come from a program, not from a web page or through a proxy. Without a control token it must come from this machine, and name an IP address or localhost.',
    });
  }
  if (tokenHash === undefined) return undefined;
  const [, sent] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (sent !== undefined && hashesEqual(hashSecret(sent), tokenHash)) return undefined;
  return new ProblemError(sent === undefined ? 'key_missing' : 'key_unknown', {
    detail:
      'The control routes of this sandbox need its control token in the Authorization header, with the scheme Bearer.',
  });
}

/**
 * Whether the request addresses the service as `localhost` or by an IP address. A web page can point its own host name
 * at this machine (DNS rebinding); the browser then sends requests from this machine, with that name in `Host`.
 */
function isLocalName({raw}: FastifyRequest): boolean {
  // The target takes precedence over Host (RFC 9112 §3.2.2).
  const authority = /^https?:\/\/([^/?#]*)/i.exec(raw.url ?? '')?.[1] ?? raw.headers.host ?? '';
  const [, address, name = address ?? ''] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority.toLowerCase()) ?? [];
  return isIP(name) !== 0 || name === 'localhost';
}
