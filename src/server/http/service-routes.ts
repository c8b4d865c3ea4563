import underPressure from '@fastify/under-pressure';
import type {FastifyInstance, FastifyRequest} from 'fastify';
import {serviceRoutes} from '../../contract/index.js';
import {statusBounds} from '../../domain/liveness.js';
import type {Context} from '../context.js';
import {addressMatcher} from '../net/addresses.js';
import type {Measure} from '../observability/metrics.js';
import {openApiDocument} from '../openapi/document.js';
import {ProblemError, retrySeconds} from './problems.js';

/**
 * Refuses requests while the event loop lags, before authenticating their callers: an early error helps a caller more
 * than a response after its time limit.
 *
 * @param maxDelay mean lag over one second, in milliseconds
 */
export function refuseWhenOverloaded(app: FastifyInstance, maxDelay: number): void {
  app.register(underPressure, {
    maxEventLoopDelay: maxDelay,
    pressureHandler() {
      throw new ProblemError('overloaded', {retryAfter: retrySeconds});
    },
  });
}

/** Configuration of a route that responds even while the event loop lags. */
const servedUnderPressure = {pressureHandler: () => undefined};

/** Registers the public routes about the service itself. */
export function mountServiceRoutes(app: FastifyInstance, {store}: Context): void {
  const {health, ready, openapi} = serviceRoutes;
  // An overloaded process is alive, and must not be restarted.
  app.get(health.path, {config: servedUnderPressure}, async () => ({status: 'ok'}));
  // Once true, this stays true: keys are revoked but never removed.
  let hasKey = false;
  app.get(ready.path, async () => {
    await store.check();
    hasKey ||= (await store.listApiKeys()).length > 0;
    if (!hasKey) throw new ProblemError('no_api_key', noKey);
    return {status: 'ok', store_version: store.version};
  });
  const document = Buffer.from(JSON.stringify(openApiDocument()));
  app.get(openapi.path, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(document);
  });
}

/** Without an API key there are no callers, because creating tokens, and hence connectors, takes one. */
const noKey = {detail: 'The operator must create an API key first.', retryAfter: 1};

/**
 * Registers the metrics route. For callers that are not allowed, the path does not exist for any method.
 *
 * @param allowed addresses and networks, from `readAddresses`
 */
export function mountMetrics(
  app: FastifyInstance,
  context: Context,
  allowed: readonly string[],
): void {
  const {metrics, unknown, now} = context;
  const mayRead = addressMatcher(allowed);
  metrics.watch(createStoreMeasure(context), () => unknown.current(now()).length);
  const {path} = serviceRoutes.metrics;
  app.addHook('onRequest', (request, _reply, done) => {
    const isRefused =
      request.routeOptions.url === path && (isRelayed(request) || !mayRead(request.ip));
    done(isRefused ? new ProblemError('route_unknown', {detail: metricsRule}) : undefined);
  });
  app.get(path, {config: servedUnderPressure}, async (_request, reply) =>
    reply.type(metrics.mediaType).send(await metrics.read()),
  );
}

const metricsRule =
  'Metrics are available only to the addresses that the operator allows, and not through an untrusted proxy.';

/** Milliseconds for which a measurement is reused: counting a million connectors is expensive. */
const freshMilliseconds = 15_000;

/** Measures the store at most every 15 seconds; undefined while the store is not available. */
function createStoreMeasure({
  store,
  now,
  monotonic,
  heartbeatInterval,
}: Context): () => Promise<Measure | undefined> {
  let measured: Promise<Measure | undefined> = Promise.resolve(undefined);
  let measuredAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (monotonic() - measuredAt < freshMilliseconds) return measured;
    measuredAt = monotonic();
    measured = store
      .check()
      .then(async () => {
        const expiries = (await store.listApiKeys())
          .flatMap(({revokedAt, expiresAt}) => (revokedAt === null ? (expiresAt ?? []) : []))
          .filter((at) => at > now())
          .sort((one, other) => one - other);
        const measure = await store.measure(statusBounds(now(), heartbeatInterval));
        return {...measure, keyExpiry: expiries[0], bounds: store.bounds};
      })
      // Failing requests and `/readyz` report the cause.
      .catch(() => undefined);
    return measured;
  };
}

/** Headers that proxies add to forwarded requests: those of RFC 7239 and RFC 9110 §7.6.3, and other common ones. */
const forwarding = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|(?:.+-)?(?:client|connecting)-ip)$/;

/** Whether the headers of a request show that it comes through a proxy that is not trusted. */
export function isRelayed({ip, socket, headers}: FastifyRequest): boolean {
  return ip === socket.remoteAddress && Object.keys(headers).some((name) => forwarding.test(name));
}
