import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import type {Log} from './context.js';

/**
 * Logs one line per request, when its answer is out or its client has gone. Never a header or a
 * query: they hold secrets.
 */
export function logRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    // Fastify's `onResponse` costs more, and does not come when the client goes first.
    reply.raw.once('close', () => log.info(describe(request, reply, startedAt), 'request'));
    done();
  });
}

function describe(request: FastifyRequest, reply: FastifyReply, startedAt: number): object {
  const {caller} = request;
  const microseconds = Math.round((performance.now() - startedAt) * 1000);
  return {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    milliseconds: microseconds / 1000,
    organization: caller?.kind === 'organization' ? caller.organization : undefined,
    key_id: caller?.kind === 'organization' ? caller.keyId : undefined,
    aborted: reply.raw.writableEnded ? undefined : true,
  };
}
