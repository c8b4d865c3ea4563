import {METHODS} from 'node:http';
import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {routes, serviceRoutes} from '../../contract/index.js';
import {ProblemError} from './problems.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On the routes for the other methods of a path: the methods that the path allows. */
    allowedMethods?: readonly string[];
  }
}

/** The methods that each path allows, by path template. */
const allowed = methodsByPath([
  ...Object.values(routes),
  ...Object.values(serviceRoutes).map(({path}) => ({path, method: 'GET'})),
]);

/**
 * Registers each path for the methods that it does not allow as well. Then only the router decides
 * which path a request is for. It decodes the target; a comparison with the raw text would decide
 * differently about `/%6detrics` or `http://host/metrics`.
 */
export function mountOtherMethods(app: FastifyInstance, paths = allowed): void {
  const known = new Set(app.supportedMethods);
  // CONNECT never reaches the router; see `connections.ts`.
  for (const method of METHODS) {
    if (!known.has(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  for (const [path, allowedMethods] of paths) {
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

/** Refuses an unknown path (404), and a method that the path does not allow (405). */
export function refuseRoute(
  request: FastifyRequest,
  reply: FastifyReply,
): ProblemError | undefined {
  if (request.is404) return new ProblemError('route_unknown');
  const {allowedMethods} = request.routeOptions.config;
  if (allowedMethods === undefined) return undefined;
  reply.header('allow', allowedMethods.join(', '));
  return new ProblemError('method_not_allowed', {
    detail: `This path allows ${allowedMethods.join(' and ')}.`,
  });
}

/** The methods of each path. A template with a parameter also matches literal templates, and adds its methods to theirs. */
export function methodsByPath(
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
