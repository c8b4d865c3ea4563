import type {FastifyReply, FastifyRequest} from 'fastify';
import {type ProblemCode, routes} from '../../contract/index.js';
import {isId} from '../../domain/ids.js';
import type {Context} from '../context.js';
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

/** The codes of a refusal after which a heartbeat counts in `UnknownConnectors`. */
const unknownCodes: ReadonlySet<ProblemCode | undefined> = new Set([
  'key_unknown',
  'connector_unknown',
]);

/** Called for each request when it arrives. */
export type RequestHook = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Counts, times and logs each request, when its response is sent or its client disconnects. Headers and queries are
 * never logged, because they may hold secrets. Heartbeats that succeed are of the level debug: they are most of the
 * requests, and of least interest. One of an unknown connector is a warning: its machine is lost or was removed.
 */
export function requestLogger({log, metrics}: Pick<Context, 'log' | 'metrics'>): RequestHook {
  const logsDetails = log.isLevelEnabled('debug');
  return (request, reply) => {
    const startedAt = performance.now();
    // A closed connection has no address any more.
    const remote_address = request.ip;
    // Fastify's `onResponse` costs more, and does not run when the client disconnects first.
    reply.raw.on('close', () => {
      const milliseconds = performance.now() - startedAt;
      const {url: route} = request.routeOptions;
      // Null when the client disconnected before the response.
      const status = reply.raw.headersSent ? reply.statusCode : null;
      metrics.request(route ?? 'none', request.method, status ?? 'none', milliseconds / 1000);
      const isDetail = route === heartbeatUrl && reply.statusCode < 400 && reply.raw.writableEnded;
      if (isDetail && !logsDetails) return;
      const caller = describeCaller(request, reply);
      const isUnknown = caller.refused_id !== undefined && unknownCodes.has(reply.problemCode);
      const level = isDetail ? 'debug' : isUnknown ? 'warn' : 'info';
      if (!log.isLevelEnabled(level)) return;
      const line = {
        request_id: request.id,
        remote_address,
        method: request.method,
        route: route ?? null,
        status,
        code: reply.problemCode,
        milliseconds: Math.round(milliseconds * 1000) / 1000,
        ...caller,
        aborted: reply.raw.writableEnded ? undefined : true,
      };
      log[level](line, 'request');
    });
  };
}

/**
 * The caller; its connector only once the key is proven to belong to the id in the path. Of a refused heartbeat that id is
 * in `refused_id`, if it has the form of one: any other text may be a secret.
 */
function describeCaller({caller, params, routeOptions}: FastifyRequest, reply: FastifyReply) {
  const {id = ''}: {readonly id?: string} = Object(params);
  const isRefused = reply.statusCode >= 400 && reply.statusCode < 500;
  const refused_id =
    isRefused && routeOptions.url === heartbeatUrl && isId('con', id) ? id : undefined;
  if (caller?.kind === 'organization') {
    return {organization: caller.key.organization, key_id: caller.key.id, refused_id};
  }
  const isProven = caller?.kind === 'connector' && reply.statusCode < 400;
  return {connector_id: isProven ? id : reply.activatedId, refused_id};
}
