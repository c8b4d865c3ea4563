import type {FastifyInstance, FastifyRequest} from 'fastify';
import type * as z from 'zod/mini';
import {type SandboxRoute, sandboxRoutes} from '../../contract/sandbox.js';
import {type SandboxOperation, sandboxEndpoints} from '../../contract/sandbox-endpoints.js';
import {hashesEqual, hashSecret} from '../../domain/secret.js';
import {isOwnName, isRelayed} from '../http/caller-checks.js';
import {routerPath} from '../http/methods.js';
import {ProblemError} from '../http/problems.js';
import {bodySchema} from '../http/validation.js';
import {isLoopbackHost} from '../net/addresses.js';
import {responseSchema} from '../openapi/json-schema.js';

/** The handler of each control route: takes the validated body, and returns the response. */
export type ControlHandlers = {
  readonly [O in SandboxOperation]: (
    body: BodyOf<O>,
    params: ParamsOf<O>,
  ) => Promise<ResponseOf<O>> | ResponseOf<O>;
};
type Routes = typeof sandboxRoutes;
type BodyOf<O extends SandboxOperation> = Routes[O] extends {
  body: {schema: infer S extends z.ZodMiniType};
}
  ? z.output<S>
  : undefined;
type ParamsOf<O extends SandboxOperation> = Routes[O] extends {
  params: infer S extends z.ZodMiniType;
}
  ? z.output<S>
  : undefined;
type ResponseOf<O extends SandboxOperation> = z.output<Routes[O]['response']>;

/** Who may control a sandbox that others than programs on its machine can reach. */
export interface ControlAccess {
  /** Host names under which the control routes are served, besides IP addresses and `localhost`; see `readHosts`. */
  readonly hosts: readonly string[];
  /** What each request to them must carry. */
  readonly token: string;
}

/** Whether a route belongs to the control routes. */
export function isControlPath(url: string | undefined): boolean {
  return url?.startsWith('/_sandbox/') ?? false;
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
  handlers: ControlHandlers,
  access: ControlAccess | undefined,
): void {
  const refuse = access === undefined ? refuseForeigner : refuseWithoutToken(access);
  app.addHook('onRequest', (request, _reply, done) => {
    done(isControlPath(request.routeOptions.url) ? refuse(request) : undefined);
  });
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
    url: routerPath(path),
    schema: {
      ...(route.params && {params: route.params}),
      ...(route.body && {body: bodySchema(route.body)}),
      response: {200: responseSchema(route.response)},
    },
    // Both have been validated against the schemas of this route.
    handler: async ({body, params}) => handle(body as BodyOf<O>, params as ParamsOf<O>),
  });
}

/** Whether a request comes from a program without a proxy, and under a known name. */
function isProgram(request: FastifyRequest, hosts: ReadonlySet<string>): boolean {
  const {headers} = request;
  const site = headers['sec-fetch-site'];
  const isPage = headers.origin !== undefined || (site !== undefined && site !== 'none');
  return !isPage && !isRelayed(request) && isOwnName(request, hosts);
}

function refuseForeigner(request: FastifyRequest): ProblemError | undefined {
  const isLocal = isLoopbackHost(request.socket.remoteAddress ?? '');
  if (isLocal && isProgram(request, noHosts)) return undefined;
  return new ProblemError('route_unknown', {
    detail:
      'Only programs on this machine can control the sandbox, under an IP address or localhost: no web page, and no proxy.',
  });
}

const noHosts: ReadonlySet<string> = new Set();

function refuseWithoutToken({hosts, token}: ControlAccess) {
  const names = new Set(hosts);
  const expected = hashSecret(token);
  return (request: FastifyRequest): ProblemError | undefined => {
    if (!isProgram(request, names)) {
      return new ProblemError('route_unknown', {
        detail:
          'Only programs can control the sandbox, under an IP address, localhost or a name that it was started with: no web page, and no proxy.',
      });
    }
    const [, sent] = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    if (sent !== undefined && hashesEqual(hashSecret(sent), expected)) return undefined;
    return new ProblemError(sent === undefined ? 'key_missing' : 'key_unknown', {
      detail:
        'The control routes of this sandbox need its control token in the Authorization header, with the scheme Bearer.',
    });
  };
}
