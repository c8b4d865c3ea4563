import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {type ProblemCode, routes} from '../../contract/index.js';
import type {Log} from '../context.js';
import {routerPath} from './methods.js';

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the error that was sent. */
    problemCode: ProblemCode | undefined;
    /** The connector that an activation created or returned again. */
    activatedId: string | undefined;
  }
}

/** The route of heartbeats, as Fastify has it. */
const heartbeatUrl = routerPath(routes.heartbeat.path);

/** Called for each request when it arrives, to log or count it. */
export type RequestObserver = (request: FastifyRequest, reply: FastifyReply) => void;

/** Declares the properties of replies that the request log reads. */
export function decorateReplies(app: FastifyInstance): void {
  app.decorateReply('problemCode', undefined);
  app.decorateReply('activatedId', undefined);
}

/**
 * Logs one line per request, when its response is sent or its client disconnects. Headers and queries
 * are never logged, because they hold secrets. Heartbeats that succeed are of the level debug: they are most of the
 * requests, and say least.
 */
export function requestLogger(log: Log): RequestObserver {
  const logsHeartbeats = log.isLevelEnabled('debug');
  return (request, reply) => {
    const startedAt = performance.now();
    // A closed connection has no address any more.
    const address = request.ip;
    // Fastify's `onResponse` costs more, and does not run when the client disconnects first.
    reply.raw.on('close', () => {
      const isDetail =
        request.routeOptions.url === heartbeatUrl &&
        reply.statusCode < 400 &&
        reply.raw.writableEnded;
      if (isDetail && !logsHeartbeats) return;
      const line = describe(request, reply, address, startedAt);
      if (isDetail) log.debug(line, 'request');
      else log.info(line, 'request');
    });
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
    // Null when the client disconnected before the response.
    status: reply.raw.headersSent ? reply.statusCode : null,
    code: reply.problemCode,
    milliseconds: microseconds / 1000,
    organization: caller?.kind === 'organization' ? caller.organization : undefined,
    key_id: caller?.kind === 'organization' ? caller.keyId : undefined,
    connector_id: reply.activatedId ?? provenId(request, reply),
    aborted: reply.raw.writableEnded ? undefined : true,
  };
}

/** The connector that called with its own key, once the key is proven to belong to the id in the path. */
function provenId({caller, params}: FastifyRequest, {statusCode}: FastifyReply): unknown {
  if (caller?.kind !== 'connector' || statusCode >= 400) return undefined;
  const {id}: {readonly id?: unknown} = Object(params);
  return id;
}
