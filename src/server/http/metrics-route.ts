import type {FastifyInstance} from 'fastify';
import {serviceRoutes} from '../../contract/index.js';
import type {Context} from '../context.js';
import {addressMatcher} from '../net/addresses.js';
import type {Metrics} from '../observability/metrics.js';
import {isOwnName, isRelayed} from './caller-checks.js';
import {servedUnderPressure} from './overload.js';
import {ProblemError} from './problems.js';
import type {RequestObserver} from './request-log.js';
import {createStoreMeasure} from './store-measure.js';

/** Counts and times every request, when its response is sent or its client disconnects. */
export function requestCounter(metrics: Metrics): RequestObserver {
  return (request, reply) => {
    const startedAt = performance.now();
    // Fastify's `onResponse` costs more, and does not run when the client disconnects first.
    reply.raw.on('close', () => {
      const route = request.routeOptions.url ?? 'none';
      const status = reply.raw.headersSent ? reply.statusCode : 'none';
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.request(route, request.method, status, seconds);
    });
  };
}

/** Who may read the metrics, and under which host names. */
interface MetricsReaders {
  /** Addresses and networks, from `readAddresses`. */
  readonly addresses: readonly string[];
  /** Host names, in lower case. */
  readonly hosts: readonly string[];
}

/** Registers the route of the metrics. For other callers the path does not exist, with any method. */
export function mountMetrics(
  app: FastifyInstance,
  context: Context,
  readers: MetricsReaders,
): void {
  const {metrics} = context;
  const mayRead = addressMatcher(readers.addresses);
  const hosts = new Set(readers.hosts);
  metrics.watch({
    measureStore: createStoreMeasure(context),
    bounds: () => context.store.bounds,
  });
  const {path} = serviceRoutes.metrics;
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.url !== path) return done();
    const isAllowed = !isRelayed(request) && mayRead(request.ip) && isOwnName(request, hosts);
    done(isAllowed ? undefined : new ProblemError('route_unknown', {detail: rule}));
  });
  app.get(path, {config: servedUnderPressure}, async (_request, reply) =>
    reply.type(metrics.mediaType).send(await metrics.read()),
  );
}

const rule =
  'Metrics are available only to the addresses that the operator allows, not through a proxy, and under an IP address, localhost, a name in the certificate, or one that the operator allows.';
