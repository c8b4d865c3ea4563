import type {FastifyReply, FastifyRequest} from 'fastify';
import {type ProblemCode, routes} from '../../contract/index.js';
import {isId} from '../../domain/ids.js';
import type {Context} from '../context.js';
import {routerPath} from './validation.js';

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the problem that the response reports, or that cut it off; undefined if there is none. */
    problemCode: ProblemCode | undefined;
    /** Id of the connector that an activation returned. */
    activatedId: string | undefined;
  }
}

/** The path of the heartbeat route in Fastify's syntax. */
const heartbeatUrl = routerPath(routes.heartbeat.path);

/** The problem codes of a heartbeat whose connector or key the store does not know. */
const unknownCodes: ReadonlySet<ProblemCode | undefined> = new Set([
  'key_unknown',
  'connector_unknown',
]);

/** Called for each request when it arrives. */
export type RequestHook = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Counts, times and logs each request, when its response is sent or its client disconnects. Headers and queries are
 * not logged, because they may hold secrets. Successful heartbeats have the level debug, because they are the most
 * frequent and least interesting requests. A heartbeat with an unknown id or key is a warning: a machine may still run
 * a connector that was removed or lost.
 */
export function requestLogger({log, metrics}: Pick<Context, 'log' | 'metrics'>): RequestHook {
  const logsDetails = log.isLevelEnabled('debug');
  return (request, reply) => {
    const startedAt = performance.now();
    // Read now, because a closed connection no longer has an address.
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
 * The log fields of the caller. `connector_id` is the activated connector, or that of the path if the key belongs to
 * it. `refused_id` is the id of a refused heartbeat, if it has the form of an id: any other text may be a secret.
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
