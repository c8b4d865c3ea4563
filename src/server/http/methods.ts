import {METHODS} from 'node:http';
import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {routes, serviceRoutes} from '../../contract/index.js';
import {ProblemError} from './problems.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On the routes for every other method of a path: the methods that the path takes. */
    allowedMethods?: readonly string[];
  }
}

/** The methods that each path of the service takes, by its template. */
const allowed = methodsByPath([
  ...Object.values(routes),
  ...Object.values(serviceRoutes).map(({path}) => ({path, method: 'GET'})),
]);

/**
 * Registers each path for the methods that it does not take as well. The router is then the only one
 * to say which path a request is for: it decodes the target, and whoever compares the raw text with a
 * path decides differently about `/%6detrics` or `http://host/metrics`.
 */
export function mountOtherMethods(app: FastifyInstance): void {
  const known = new Set(app.supportedMethods);
  // CONNECT never reaches the router; see `connections.ts`.
  for (const method of METHODS) {
    if (!known.has(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  for (const [path, allowedMethods] of allowed) {
    app.route({
      method: app.supportedMethods.filter((method) => !allowedMethods.includes(method)),
      url: routerPath(path),
      config: {allowedMethods},
      handler: () => {
        throw new Error('refuseRoute() refuses this request before its handler runs');
      },
    });
  }
}

/** A path template as the router writes it. */
export function routerPath(template: string): string {
  return template.replace(/\{(\w+)\}/g, ':$1');
}

/** Refuses an unknown path (404), and a method that the path does not take (405). */
export function refuseRoute(
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemError | undefined {
  if (request.is404) return new ProblemError('route_unknown');
  const {allowedMethods} = request.routeOptions.config;
  if (allowedMethods === undefined) return undefined;
  reply.header('allow', allowedMethods.join(', '));
  return new ProblemError('method_not_allowed', {
    detail: `This path takes ${allowedMethods.join(' and ')}.`,
  });
}

/** A template with a parameter matches the literal templates too, and lends them its methods. */
function methodsByPath(
  endpoints: readonly {readonly path: string; readonly method: string}[],
): ReadonlyMap<string, readonly string[]> {
  const templates = endpoints.map(({path, method}) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  }));
  return new Map(
    endpoints.map(({path}) => [
      path,
      templates.filter(({pattern}) => pattern.test(path)).flatMap(({methods}) => methods),
    ]),
  );
}
