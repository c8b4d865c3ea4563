import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';

/** Called for each request when it arrives, to log or count it. */
export type RequestObserver = (request: FastifyRequest, reply: FastifyReply) => void;

/** Fastify's handler for a request that it cannot route; hooks do not run for such a request. */
type UnroutedHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Calls the observers for each routed request. */
export function observeRequests(app: FastifyInstance, observers: readonly RequestObserver[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    for (const observe of observers) observe(request, reply);
    done();
  });
}

/** Calls the observers before the handler of unrouted requests. */
export function withObservers(
  observers: readonly RequestObserver[],
  handle: UnroutedHandler,
): UnroutedHandler {
  return (error, request, reply) => {
    for (const observe of observers) observe(request, reply);
    handle(error, request, reply);
  };
}
