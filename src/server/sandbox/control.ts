import type {FastifyInstance, FastifyRequest} from 'fastify';
import type * as z from 'zod/mini';
import {type SandboxRoute, sandboxRoutes} from '../../contract/sandbox.js';
import {type SandboxOperation, sandboxEndpoints} from '../../contract/sandbox-endpoints.js';
import {isOwnName, isRelayed} from '../http/caller-checks.js';
import {methodsByPath, mountOtherMethods} from '../http/methods.js';
import {ProblemError} from '../http/problems.js';
import {bodySchema} from '../http/validation.js';
import {isLoopbackHost} from '../net/addresses.js';
import {responseSchema} from '../openapi/json-schema.js';

/** The handler of each control route: takes the validated body, and returns the response. */
export type ControlHandlers = {
  readonly [O in SandboxOperation]: (body: BodyOf<O>) => Promise<ResponseOf<O>> | ResponseOf<O>;
};
type Routes = typeof sandboxRoutes;
type BodyOf<O extends SandboxOperation> = Routes[O] extends {
  body: {schema: infer S extends z.ZodMiniType};
}
  ? z.output<S>
  : undefined;
type ResponseOf<O extends SandboxOperation> = z.output<Routes[O]['response']>;

/** Whether a route belongs to the control routes. */
export function isControlPath(url: string | undefined): boolean {
  return url?.startsWith('/_sandbox/') ?? false;
}

/**
 * Registers the control routes. They need no API key, so that one line of curl is enough, but the caller
 * must be a program on this machine. Web pages are refused: browsers send `Origin` or `Sec-Fetch-Site`,
 * and a foreign host name that resolves to this machine (DNS rebinding) is not accepted as `Host`.
 */
export function mountControl(app: FastifyInstance, handlers: ControlHandlers): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(isControlPath(request.routeOptions.url) ? refuseForeigner(request) : undefined);
  });
  mountOtherMethods(app, methodsByPath(Object.values(sandboxEndpoints)));
  for (const operation of Object.keys(sandboxEndpoints) as SandboxOperation[]) {
    mount(app, operation, handlers[operation]);
  }
}

function mount<O extends SandboxOperation>(
  app: FastifyInstance,
  operation: O,
  handle: ControlHandlers[O],
): void {
  const {method, path} = sandboxEndpoints[operation];
  const route: SandboxRoute = sandboxRoutes[operation];
  app.route({
    method,
    url: path,
    schema: {
      ...(route.body && {body: bodySchema(route.body)}),
      response: {200: responseSchema(route.response)},
    },
    // The body has been validated against the schema of this route.
    handler: async ({body}) => handle(body as BodyOf<O>),
  });
}

function refuseForeigner(request: FastifyRequest): ProblemError | undefined {
  const {headers, socket} = request;
  const site = headers['sec-fetch-site'];
  const isPage = headers.origin !== undefined || (site !== undefined && site !== 'none');
  const isLocal = isLoopbackHost(socket.remoteAddress ?? '');
  if (isLocal && !isPage && !isRelayed(request) && isOwnName(request, new Set())) return undefined;
  return new ProblemError('route_unknown', {
    detail:
      'Only programs on this machine can control the sandbox, under an IP address or localhost: no web page, and no proxy.',
  });
}
