import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import type {ProblemCode} from '../../contract/index.js';
import type {Log} from '../context.js';
import type {WatchRequest} from './request-observers.js';

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
 * Logs one line per request, when its response is out or its client has gone. Never a header or a
 * query: they hold secrets.
 */
export function requestLogger(log: Log): WatchRequest {
  return (request, reply) => {
    const startedAt = performance.now();
    // A connection that is gone tells no address any more.
    const address = request.ip;
    // Fastify's `onResponse` costs more, and does not come when the client goes first.
    reply.raw.on('close', () => log.info(describe(request, reply, address, startedAt), 'request'));
  };
}

function describe(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
  startedAt: number,
): object {
  const {caller} = request;
  const microseconds = Math.round((performance.now() - startedAt) * 1000);
  return {
    request_id: request.id,
    remote_address: address,
    method: request.method,
    route: request.routeOptions.url ?? null,
    // None was sent to a client that went first.
    status: reply.raw.headersSent ? reply.statusCode : null,
    code: reply.problemCode,
    milliseconds: microseconds / 1000,
    organization: caller?.kind === 'organization' ? caller.organization : undefined,
    key_id: caller?.kind === 'organization' ? caller.keyId : undefined,
    connector_id: reply.activatedId ?? provenId(request, reply),
    aborted: reply.raw.writableEnded ? undefined : true,
  };
}

/** The connector that called with its own key: known once that was found to be the key of the id in the path. */
function provenId({caller, params}: FastifyRequest, {statusCode}: FastifyReply): unknown {
  if (caller?.kind !== 'connector' || statusCode >= 400) return undefined;
  const {id}: {readonly id?: unknown} = Object(params);
  return id;
}
