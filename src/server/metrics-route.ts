import type {FastifyInstance, FastifyRequest} from 'fastify';
import {serviceRoutes} from '../contract/index.js';
import {addressMatcher} from './addresses.js';
import type {Context} from './context.js';
import type {Metrics} from './metrics.js';
import {answersUnderPressure} from './overload.js';
import {ProblemError} from './problems.js';
import {createStoreMeasure} from './store-measure.js';
import type {WatchRequest} from './watch-requests.js';

/** Headers by which a proxy says that it asks for somebody else. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

/** Counts every request with its time, when its answer is out or its client has gone. */
export function requestCounter(metrics: Metrics): WatchRequest {
  return (request, reply) => {
    const startedAt = performance.now();
    // Fastify's `onResponse` costs more, and does not come when the client goes first.
    reply.raw.on('close', () => {
      const route = request.routeOptions.url ?? 'none';
      const status = reply.raw.headersSent ? reply.statusCode : 'none';
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.request(route, request.method, status, seconds);
    });
  };
}

/**
 * Registers the route of the metrics. To whom they are not answered the route does not exist.
 *
 * @param readers addresses and networks, checked by `readAddresses`
 */
export function mountMetrics(
  app: FastifyInstance,
  context: Context,
  readers: readonly string[],
): void {
  const {metrics} = context;
  const mayRead = addressMatcher(readers);
  metrics.watch({
    measureStore: createStoreMeasure(context),
    countConnections: () => countConnections(app),
  });
  app.server.on('drop', () => metrics.connectionDropped());
  app.get(serviceRoutes.metrics.path, {config: answersUnderPressure}, async (request, reply) => {
    if (isRelayed(request) || !mayRead(request.ip)) {
      throw new ProblemError('route_unknown', {
        detail: 'Metrics are answered to the addresses of --metrics-from, and to no proxy.',
      });
    }
    return reply.type(metrics.mediaType).send(await metrics.read());
  });
}

/** Whether the caller asks for somebody else, whom nobody vouches for: a proxy that is not believed. */
function isRelayed({ip, socket, headers}: FastifyRequest): boolean {
  return ip === socket.remoteAddress && forwarding.some((name) => headers[name] !== undefined);
}

function countConnections({server}: FastifyInstance): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}
