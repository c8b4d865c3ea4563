import {isIP} from 'node:net';
import type {FastifyInstance, FastifyRequest} from 'fastify';
import type * as z from 'zod/mini';
import {sandboxRoutes} from '../../contract/sandbox.js';
import {hashesEqual, hashSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {ProblemError} from '../http/problems.js';
import {isRelayed} from '../http/service-routes.js';
import {bodySchema} from '../http/validation.js';
import {isLoopbackHost} from '../net/addresses.js';

/** A method of the control plane over loopback: what it takes, and what it does with its target. */
export interface ControlMethod<Target, Body extends z.ZodMiniType, Response> {
  readonly body?: {readonly schema: Body; readonly required: boolean};
  handle(target: Target, body: z.output<Body>): Response | Promise<Response>;
}

type ControlMethods<Target> = Readonly<
  Record<keyof typeof sandboxRoutes, ControlMethod<Target, z.ZodMiniType, unknown>>
>;

/**
 * Registers the routes of methods. They need no API key, so that one line of curl is enough, but the caller
 * must be a program on this machine, or know the control token. Web pages are refused: browsers send `Origin` or
 * `Sec-Fetch-Site`, and without a token a foreign host name that resolves to this machine (DNS rebinding) is not
 * accepted as `Host`.
 *
 * @param token the secret that each request must carry; undefined: only programs on this machine, without one
 */
export function mountLoopback<Target>(
  app: FastifyInstance,
  target: Target,
  methods: ControlMethods<Target>,
  token: string | undefined,
): void {
  const tokenHash = token && hashSecret(token);
  app.addHook('onRequest', (request, _reply, done) => {
    const isControl = request.routeOptions.url?.startsWith('/_sandbox/');
    done(isControl ? refuse(request, tokenHash) : undefined);
  });
  for (const [name, {body, handle}] of Object.entries(methods)) {
    const {method, path: url} = sandboxRoutes[name as keyof typeof sandboxRoutes];
    app.route({
      method,
      url,
      schema: {...(body && {body: bodySchema(body)})},
      async handler({body: sent}) {
        try {
          return await handle(target, sent);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          throw new ProblemError('request_invalid', {detail: error.message});
        }
      },
    });
  }
}

/** The reason to refuse a control request of the sandbox; undefined if it is allowed. */
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
 * Whether the request addresses the service as `localhost` or by an IP address. A web page can point its own host name at
 * this machine (DNS rebinding); the browser then sends requests from here, with that name.
 */
function isLocalName({raw}: FastifyRequest): boolean {
  // The target takes precedence over Host (RFC 9112 §3.2.2).
  const authority = /^https?:\/\/([^/?#]*)/i.exec(raw.url ?? '')?.[1] ?? raw.headers.host ?? '';
  const [, address, name = address ?? ''] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority.toLowerCase()) ?? [];
  return isIP(name) !== 0 || name === 'localhost';
}
