import type {FastifyInstance, FastifyRequest} from 'fastify';
import ipaddr from 'ipaddr.js';
import * as z from 'zod/mini';
import {sandboxRoutes} from '../../contract/sandbox.js';
import {type SandboxOperation, sandboxEndpoints} from '../../contract/sandbox-endpoints.js';
import {methodsByPath, mountOtherMethods} from '../http/methods.js';
import {isOwnName, isRelayed} from '../http/metrics-route.js';
import {ProblemError} from '../http/problems.js';
import {responseSchema} from '../openapi/json-schema.js';

/** What each control route does: takes its checked body, and returns its response. */
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

/** Whether the router's path is that of a control route. */
export function isControlPath(url: string | undefined): boolean {
  return url?.startsWith('/_sandbox/') ?? false;
}

/**
 * Registers the control routes. They take no key, so that a line of curl is enough; what they ask is
 * that the caller is a program on this machine. A page in a browser is not: browsers send `Origin` or
 * `Sec-Fetch-Site`, and a name that a stranger points at this machine is not one of the service's.
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
  const route: {
    readonly body?: {readonly schema: z.ZodMiniType; readonly required: boolean};
    readonly response: z.ZodMiniType;
  } = sandboxRoutes[operation];
  app.route({
    method,
    url: path,
    schema: {
      ...(route.body && {
        body: route.body.required ? route.body.schema : optional(route.body.schema),
      }),
      response: {200: responseSchema(route.response)},
    },
    // The body has passed this very route's schema.
    handler: async ({body}) => handle(body as BodyOf<O>),
  });
}

/** Fastify hands over null where no body came. */
function optional(schema: z.ZodMiniType): z.ZodMiniType {
  return z.pipe(
    z.transform((body): unknown => body ?? {}),
    schema,
  );
}

function refuseForeigner(request: FastifyRequest): ProblemError | undefined {
  const {headers, socket} = request;
  const site = headers['sec-fetch-site'];
  const isPage = headers.origin !== undefined || (site !== undefined && site !== 'none');
  const address = socket.remoteAddress ?? '';
  const isLocal = ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
  if (isLocal && !isPage && !isRelayed(request) && isOwnName(request, new Set())) return undefined;
  return new ProblemError('route_unknown', {
    detail:
      'Only programs on this machine drive the sandbox, under an IP address or localhost: no web page, and no proxy.',
  });
}
