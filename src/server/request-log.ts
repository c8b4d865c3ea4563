import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import type {ProblemCode} from '../contract/index.js';
import type {Log} from './context.js';

declare module 'fastify' {
  interface FastifyReply {
    /** Why the request was refused, or what failed. */
    problemCode: ProblemCode | undefined;
    /** The connector that an activation made, or answered again. */
    activatedId: string | undefined;
  }
}

/** Makes room on every reply for what its line in the log tells. */
export function decorateReplies(app: FastifyInstance): void {
  app.decorateReply('problemCode', undefined);
  app.decorateReply('activatedId', undefined);
}

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
  const microseconds = Math.round((performance.now() - startedAt) * 1000);
  return {
    request_id: request.id,
    remote_address: request.ip,
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    code: reply.problemCode,
    milliseconds: microseconds / 1000,
    ...callerFields(request, reply),
    aborted: reply.raw.writableEnded ? undefined : true,
  };
}

/** Who called; a connector only once its key was found to be that of the connector in the path. */
function callerFields({caller, params}: FastifyRequest, reply: FastifyReply): object {
  if (caller === undefined) return {connector_id: reply.activatedId};
  if (caller.kind === 'organization') {
    return {organization: caller.organization, key_id: caller.keyId};
  }
  const {id}: {readonly id?: unknown} = Object(params);
  return reply.statusCode < 400 ? {connector_id: id} : {};
}
