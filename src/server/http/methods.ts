import type {FastifyReply, FastifyRequest} from 'fastify';
import {routes, serviceRoutes} from '../../contract/index.js';
import {ProblemError} from './problems.js';

/** A path template as the router writes it. */
export function routerPath(template: string): string {
  return template.replace(/\{(\w+)\}/g, ':$1');
}

const {health, ready, openapi} = serviceRoutes;

/** The public paths with their methods. The path of the metrics is not public, so it is absent. */
const known = [
  ...Object.values(routes),
  ...[health, ready, openapi].map(({path}) => ({path, method: 'GET'})),
].map(({path, method}) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
}));

/** Refuses a request without a route: an unknown path (404), or a method that the path does not allow (405). */
export function refuseRoute({url}: FastifyRequest, reply: FastifyReply): ProblemError {
  const [path = ''] = url.split('?');
  const allowed = known.filter(({pattern}) => pattern.test(path)).flatMap(({methods}) => methods);
  if (allowed.length === 0) return new ProblemError('route_unknown');
  reply.header('allow', allowed.join(', '));
  return new ProblemError('method_not_allowed', {
    detail: `This path allows ${allowed.join(' and ')}.`,
  });
}
