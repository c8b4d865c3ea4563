import type {FastifyInstance, FastifyRequest} from 'fastify';
import type * as z from 'zod/mini';
import {hashesEqual, hashSecret} from '../../domain/secret.js';
import {isOwnName, isRelayed} from '../http/caller-checks.js';
import {routerPath} from '../http/methods.js';
import {ProblemError} from '../http/problems.js';
import {bodySchema} from '../http/validation.js';
import {isLoopbackHost} from '../net/addresses.js';
import {type DocumentExtension, describe} from '../openapi/document.js';
import {jsonSchema, responseSchema} from '../openapi/json-schema.js';
import {isControlPath} from './journal.js';
import {type ControlRoute, controlRoutes, type SandboxControl} from './routes.js';

/** Who may control a sandbox that others than programs on its machine can reach. */
export interface ControlAccess {
  /** Host names under which the control routes are served, besides IP addresses and `localhost`; see `readHosts`. */
  readonly hosts: readonly string[];
  /** What each request to them must carry. */
  readonly token: string;
}

const table = Object.entries(
  controlRoutes as Record<string, ControlRoute<z.ZodMiniType, z.ZodMiniType>>,
);

/**
 * Registers the control routes. They need no API key, so that one line of curl is enough, but the caller
 * must be a program on this machine, or know the control token. Web pages are refused: browsers send `Origin` or
 * `Sec-Fetch-Site`, and a foreign host name that resolves to this machine (DNS rebinding) is not accepted as `Host`.
 *
 * @param access undefined: only programs on this machine, without a token
 */
export function mountControl(
  app: FastifyInstance,
  sandbox: SandboxControl,
  access: ControlAccess | undefined,
): void {
  const hosts = new Set(access?.hosts);
  const token = access && hashSecret(access.token);
  app.addHook('onRequest', (request, _reply, done) => {
    done(isControlPath(request.routeOptions.url) ? refuse(request, hosts, token) : undefined);
  });
  for (const [, {method, path, params, body, response, handle}] of table) {
    app.route({
      method,
      url: routerPath(path),
      schema: {
        ...(params && {params}),
        ...(body && {body: bodySchema(body)}),
        response: {200: responseSchema(response)},
      },
      // The schemas of this route have validated both.
      handler: async (request) => handle(sandbox, request.body, request.params as {id: string}),
    });
  }
}

/** Why a request may not control the sandbox; undefined if it may. */
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
        'Only programs can control the sandbox, under an IP address, localhost or a name that it was started with: no web page, no proxy, and without a control token no other machine.',
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

const tag = {
  name: 'Sandbox',
  description:
    'Control of the sandbox, for programs on this machine. One that was started with a control token needs that in `Authorization: Bearer`.',
};

/** The control routes for the OpenAPI document of a sandbox. */
export function sandboxDocument(): DocumentExtension {
  const paths: Record<string, object> = {};
  for (const [name, {method, path, summary, description, params, body, response}] of table) {
    const operation = describe(`sandbox${name[0]?.toUpperCase()}${name.slice(1)}`, tag, {
      summary,
      description,
      params,
      body: body && {required: body.required, schema: jsonSchema(body.schema, 'input')},
      schema: jsonSchema(response, 'output'),
    });
    paths[path] = {...paths[path], [method.toLowerCase()]: operation};
  }
  return {tag, paths};
}
