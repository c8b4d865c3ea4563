import type {FastifyInstance, FastifyRequest} from 'fastify';
import type {Log} from './context.js';

/** Logs one line per request, when it has been answered. Never a header or a query: they hold secrets. */
export function logRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
        ...callerFields(request),
      },
      'request',
    );
    done();
  });
}

function callerFields({caller}: FastifyRequest): object {
  if (caller?.kind !== 'organization') return {};
  return {organization: caller.organization, key_id: caller.keyId};
}
