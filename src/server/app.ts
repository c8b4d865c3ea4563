import type {RequestListener, Server} from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import {headers, limits} from '../contract/index.js';
import type {Store} from '../store/store.js';
import {createKeyUses} from './admin/usage.js';
import type {Context, Log} from './context.js';
import {refuseConnections, watchConnections} from './http/connections.js';
import {sendProblem} from './http/error-handler.js';
import {refuseRoute} from './http/methods.js';
import {mountMetrics, requestCounter} from './http/metrics-route.js';
import {refuseWhenOverloaded} from './http/overload.js';
import {decorateReplies, type RequestObserver, requestLogger} from './http/request-log.js';
import {defaultHeaders} from './http/response-headers.js';
import {parseBody, validatorCompiler} from './http/validation.js';
import {withoutPorts} from './net/addresses.js';
import {Metrics} from './observability/metrics.js';
import {mountServiceRoutes} from './openapi/service-routes.js';
import {createActivationLimiter} from './operations/activation-limiter.js';
import {mountOperations} from './operations/mount.js';
import {type Runtime, systemRuntime} from './runtime.js';

/** What a sandbox adds to the service. */
export interface AppExtension {
  /** Headers of every response. */
  readonly responseHeaders: () => Readonly<Record<string, string>>;
  /** Called for each request when it arrives. */
  readonly watch: RequestObserver;
  /** Called after the rules of HTTP are registered, and before the operations. */
  mount(app: FastifyInstance): void;
}

/** Parts and settings of the service. Only the store is required. */
export interface AppOptions {
  readonly store: Store;
  /** Default: the system's clock and randomness. */
  readonly runtime?: Runtime | undefined;
  /** Lifetime of an activation token in seconds. Default 900. */
  readonly tokenTtl?: number | undefined;
  /** Interval at which connectors are asked to send heartbeats, in seconds. Default 60. */
  readonly heartbeatInterval?: number | undefined;
  /** Failed activations per minute and address before further ones get 429. Default 10. */
  readonly activationFailureLimit?: number | undefined;
  /** Mean event loop lag, in milliseconds, above which requests are refused. Default 1000. */
  readonly maxEventLoopDelay?: number | undefined;
  /** Default: no log. */
  readonly log?: Log | undefined;
  /** Default: metrics of this app, without those of its process. */
  readonly metrics?: Metrics | undefined;
  /** Addresses and networks that may read the metrics. Default: this machine. */
  readonly metricsAllow?: readonly string[] | undefined;
  /** Host names for the metrics, besides IP addresses, `localhost` and names in the certificate. */
  readonly metricsHosts?: readonly string[] | undefined;
  /** Proxies whose forwarded client addresses are trusted (Fastify's `trustProxy`). Default: none. */
  readonly trustProxy?: FastifyServerOptions['trustProxy'] | undefined;
  /** Default: none. */
  readonly extension?: AppExtension | undefined;
  /** Creates the HTTP server around the app; see `listener.ts`. Default: a plain one. */
  readonly createServer?: ((handler: RequestListener) => Server) | undefined;
}

const defaultMaxEventLoopDelay = 1000;

const silent: Log = {debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false};

/** Builds the reference service. It opens no socket: `inject` it, or hand it to `listen`. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const context = createContext(options);
  const {extension} = options;
  const app = createApp(options, context);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(context.responseHeaders()).header(headers.requestId, request.id);
    const {headers: sent} = request.raw;
    // Fastify would respond 415 to an unknown content type; the interface (§4) prescribes none.
    if (sent['content-type'] !== undefined) sent['content-type'] = undefined;
    done(request.is404 ? refuseRoute(request, reply) : undefined);
  });
  mountMetrics(app, context, {
    addresses: options.metricsAllow ?? ['loopback'],
    hosts: options.metricsHosts ?? [],
  });
  refuseWhenOverloaded(app, options.maxEventLoopDelay ?? defaultMaxEventLoopDelay);
  extension?.mount(app);
  mountOperations(app, context);
  mountServiceRoutes(app, context);
  await app.ready();
  return app;
}

/** The app before its rules and routes: it parses, logs, counts, and reports errors. */
function createApp(options: AppOptions, context: Context): FastifyInstance {
  const {extension} = options;
  const refuseConnection = refuseConnections(context.newRequestId, context);
  const fail = sendProblem(context);
  const observers = [
    // First: the others read the caller's address.
    ...(options.trustProxy === undefined ? [] : [removeForwardedPorts]),
    requestCounter(context.metrics),
    ...(extension === undefined ? [] : [extension.watch]),
  ];
  if (context.log.isLevelEnabled('info')) observers.push(requestLogger(context.log));
  const observe: RequestObserver = (request, reply) => {
    for (const observer of observers) observer(request, reply);
  };
  const app = Fastify({
    ...(options.createServer && {serverFactory: options.createServer}),
    trustProxy: options.trustProxy ?? false,
    bodyLimit: limits.bodyBytes,
    routerOptions: {maxParamLength: limits.pathParameterLength},
    // During a shutdown a request on an open connection is still served; then the connection closes.
    return503OnClosing: false,
    // Random: sequential ids would reveal to each caller how much the others send.
    genReqId: () => context.newRequestId(),
    clientErrorHandler: refuseConnection,
    // Hooks do not run for a request that Fastify cannot route.
    frameworkErrors(error, request, reply) {
      observe(request, reply);
      fail(error, request, reply);
    },
  });
  watchConnections(app, context);
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler(fail);
  readBodiesAsJson(app);
  decorateReplies(app);
  // Before the hooks that refuse requests, so that refused ones are counted and logged too.
  app.addHook('onRequest', (request, reply, done) => {
    observe(request, reply);
    done();
  });
  return app;
}

function createContext(options: AppOptions): Context {
  const runtime = options.runtime ?? systemRuntime;
  const maximum = options.activationFailureLimit ?? limits.activationFailureLimit;
  const log = options.log ?? silent;
  const {extension} = options;
  return {
    ...runtime,
    store: options.store,
    tokenTtl: options.tokenTtl ?? limits.tokenTtl.default,
    heartbeatInterval: options.heartbeatInterval ?? limits.heartbeatInterval.default,
    activationLimiter: createActivationLimiter(maximum, runtime.monotonic),
    metrics: options.metrics ?? new Metrics(),
    noteKeyUse: createKeyUses(options.store, log),
    log,
    responseHeaders:
      extension === undefined
        ? () => defaultHeaders
        : () => ({...defaultHeaders, ...extension.responseHeaders()}),
  };
}

function removeForwardedPorts({headers: {'x-forwarded-for': value}, raw}: FastifyRequest): void {
  if (typeof value === 'string') raw.headers['x-forwarded-for'] = withoutPorts(value);
}

/** Parses bodies as JSON, and only for operations that take one. */
function readBodiesAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    '*',
    {parseAs: 'buffer'},
    async (request: FastifyRequest, bytes: Buffer) =>
      request.routeOptions.schema?.body === undefined ? undefined : parseBody(bytes),
  );
}
