import type {FastifyInstance, FastifyRequest} from 'fastify';
import type * as z from 'zod/mini';
import {hashesEqual, hashSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {isOwnName, isRelayed} from '../http/caller-checks.js';
import {ProblemError} from '../http/problems.js';
import {bodySchema} from '../http/validation.js';
import {isLoopbackHost} from '../net/addresses.js';
import {type ControlRoute, controlRoutes} from './routes.js';
import type {Sandbox} from './sandbox.js';

/** The access rules of a sandbox that other machines can reach. */
export interface ControlAccess {
  /** Host names under which the control routes are served, besides IP addresses and `localhost`; see `readHosts`. */
  readonly hosts: readonly string[];
  /** The secret that each request to them must carry. */
  readonly token: string;
}

/**
 * Registers the control routes. They need no API key, so that one line of curl is enough, but the caller
 * must be a program on this machine, or know the control token. Web pages are refused: browsers send `Origin` or
 * `Sec-Fetch-Site`, and a foreign host name that resolves to this machine (DNS rebinding) is not accepted as `Host`.
 *
 * @param access undefined: only programs on this machine, without a token
 */
export function mountControl(
  app: FastifyInstance,
  sandbox: Sandbox,
  access: ControlAccess | undefined,
): void {
  const hosts = new Set(access?.hosts);
  const token = access && hashSecret(access.token);
  app.addHook('onRequest', (request, _reply, done) => {
    const isControl = request.routeOptions.url?.startsWith('/_sandbox/');
    done(isControl ? refuse(request, hosts, token) : undefined);
  });
  const table = controlRoutes as Record<string, ControlRoute<z.ZodMiniType, unknown>>;
  for (const {method, path, body, handle} of Object.values(table)) {
    app.route({
      method,
      url: path,
      schema: {...(body && {body: bodySchema(body)})},
      async handler({body: sent}) {
        try {
          return await handle(sandbox, sent);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          throw new ProblemError('request_invalid', {detail: error.message});
        }
      },
    });
  }
}

/** The reason to refuse a control request of the sandbox; undefined if it is allowed. */
function refuse(
  request: FastifyRequest,
  hosts: ReadonlySet<string>,
  token: string | undefined,
): ProblemError | undefined {
  const {headers, socket} = request;
  const site = headers['sec-fetch-site'];
  const isPage = headers.origin !== undefined || (site !== undefined && site !== 'none');
  const isNear = token !== undefined || isLoopbackHost(socket.remoteAddress ?? '');
  if (!isNear || isPage || isRelayed(request) || !isOwnName(request, hosts)) {
    return new ProblemError('route_unknown', {
      detail:
        'A control request must come from a program, not from a web page or through a proxy, and name an IP address, localhost or a control host. Without a control token it must come from this machine.',
    });
  }
  if (token === undefined) return undefined;
  const [, sent] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (sent !== undefined && hashesEqual(hashSecret(sent), token)) return undefined;
  return new ProblemError(sent === undefined ? 'key_missing' : 'key_unknown', {
    detail:
      'The control routes of this sandbox need its control token in the Authorization header, with the scheme Bearer.',
  });
}
