import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';

/** Told of each request when it comes, to keep account of it. */
export type WatchRequest = (request: FastifyRequest, reply: FastifyReply) => void;

/** What Fastify calls for a request that it cannot route; no hook runs for one. */
export type ResponseUnrouted = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => void;

/** Tells all of them of each request that is routed. */
export function watchRequests(app: FastifyInstance, watchers: readonly WatchRequest[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    for (const watch of watchers) watch(request, reply);
    done();
  });
}

/** Tells all of them of a request that is not. */
export function watched(
  watchers: readonly WatchRequest[],
  response: ResponseUnrouted,
): ResponseUnrouted {
  return (error, request, reply) => {
    for (const watch of watchers) watch(request, reply);
    response(error, request, reply);
  };
}
