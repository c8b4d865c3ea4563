import {isIP} from 'node:net';
import type {FastifyInstance, FastifyRequest} from 'fastify';
import * as z from 'zod/mini';
import {keyAccesses} from '../../contract/index.js';
import {type SandboxKey, sandboxRoutes} from '../../contract/sandbox.js';
import {hashesEqual, hashSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {ProblemError} from '../http/problems.js';
import {isRelayed} from '../http/service-routes.js';
import {bodySchema} from '../http/validation.js';
import {isLoopbackHost} from '../net/addresses.js';
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

/**
 * Registers the control routes of a sandbox. They need no API key, so that a short curl command is enough, but the
 * caller must be a program on this machine, or know the control token. Web pages are refused: browsers send `Origin` or
 * `Sec-Fetch-Site`, and without a token a foreign host name that resolves to this machine (DNS rebinding) is not
 * accepted as `Host`.
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
