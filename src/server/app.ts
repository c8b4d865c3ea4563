import type {RequestListener, Server} from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import {headers, limits} from '../contract/index.js';
import type {Store} from '../store/store.js';
import {type Context, type Log, type Runtime, systemRuntime} from './context.js';
import {problemDocument, problemHeaders, toProblem} from './http/problems.js';
import {type RequestHook, requestLogger} from './http/request-log.js';
import {mountMetrics, mountServiceRoutes, refuseWhenOverloaded} from './http/service-routes.js';
import {parseBody, refuseRoute, validatorCompiler} from './http/validation.js';
import {withoutPorts} from './net/addresses.js';
import {Metrics} from './observability/metrics.js';
import {UnknownConnectors} from './observability/unknown-connectors.js';
import {createActivationLimiter} from './operations/activate.js';
import {mountOperations} from './operations/mount.js';

/** The parts that the sandbox adds to the service. */
interface AppExtension {
  /** Headers of every response. */
  readonly responseHeaders: () => Readonly<Record<string, string>>;
  /** Called after the HTTP hooks are registered, and before the operations are. */
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
  /** Malformed or unknown tokens per minute and address before further ones get 429. Default 10. */
  readonly activationFailureLimit?: number | undefined;
  /** Mean event loop lag, in milliseconds, above which requests are refused. Default 1000. */
  readonly maxEventLoopDelay?: number | undefined;
  /** Default: no log. */
  readonly log?: Log | undefined;
  /** Default: new metrics of this app, without metrics of the process. */
  readonly metrics?: Metrics | undefined;
  /** Default: a new record of this app. */
  readonly unknown?: UnknownConnectors | undefined;
  /** Addresses and networks that may read the metrics. Default: this machine. */
  readonly metricsAllow?: readonly string[] | undefined;
  /** Proxies whose forwarded client addresses are trusted (Fastify's `trustProxy`). Default: none. */
  readonly trustProxy?: FastifyServerOptions['trustProxy'] | undefined;
  /** The parts that the sandbox adds. Default: none. */
  readonly extension?: AppExtension | undefined;
  /** Creates the HTTP server around the app; see `listener.ts`. Default: a plain one. */
  readonly createServer?: ((handler: RequestListener) => Server) | undefined;
}

const silent: Log = {debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false};

/**
 * Headers of every response of the app. Responses hold secrets and current state, so caches must not store them. If a
 * browser opens one, it must not frame the response, run scripts in it, or send a referrer.
 */
const defaultHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Builds the reference service. It opens no socket: `inject` it, or hand it to a `Listener`. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const context = createContext(options);
  const {extension, maxEventLoopDelay = 1000} = options;
  const observe = observer(options, context);
  const app = createApp(options, context, observe);
  // This is the first hook, so that requests refused by later hooks are counted and logged too.
  app.addHook('onRequest', (request, reply, done) => {
    observe(request, reply);
    const {headers: sent} = request.raw;
    // Fastify would respond 415 to a malformed content type; the interface (§4) prescribes none.
    if (sent['content-type'] !== undefined) sent['content-type'] = undefined;
    done(request.is404 ? refuseRoute(request, reply) : undefined);
  });
  mountMetrics(app, context, options.metricsAllow ?? ['loopback']);
  refuseWhenOverloaded(app, maxEventLoopDelay);
  extension?.mount(app);
  mountOperations(app, context);
  mountServiceRoutes(app, context);
  await app.ready();
  return app;
}

/** Creates the app without hooks and routes: it parses bodies and reports errors. */
function createApp(options: AppOptions, context: Context, observe: RequestHook): FastifyInstance {
  const fail = sendProblem(context);
  const app = Fastify({
    ...(options.createServer && {serverFactory: options.createServer}),
    trustProxy: options.trustProxy ?? false,
    bodyLimit: limits.bodyBytes,
    routerOptions: {maxParamLength: limits.pathParameterLength},
    // During a shutdown a request on an open connection is still served; then the connection closes.
    return503OnClosing: false,
    // Sequential ids would reveal to each caller how many requests others send.
    genReqId: () => context.newRequestId(),
    // Hooks do not run for a path that Fastify cannot decode or finds too long.
    frameworkErrors(error, request, reply) {
      observe(request, reply);
      fail(error, request, reply);
    },
  });
  app.decorateReply('problemCode', undefined);
  app.decorateReply('activatedId', undefined);
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler(fail);
  readBodiesAsJson(app);
  return app;
}

function createContext(options: AppOptions): Context {
  const runtime = options.runtime ?? systemRuntime;
  const maximum = options.activationFailureLimit ?? limits.activationFailureLimit;
  const log = options.log ?? silent;
  return {
    ...runtime,
    store: options.store,
    tokenTtl: options.tokenTtl ?? limits.tokenTtl.default,
    heartbeatInterval: options.heartbeatInterval ?? limits.heartbeatInterval.default,
    countFailedActivation: createActivationLimiter(maximum, runtime.monotonic),
    metrics: options.metrics ?? new Metrics(),
    unknown: options.unknown ?? new UnknownConnectors(),
    noteKeyUse: createKeyUses(options.store, log),
    log,
  };
}

/** Sets the headers of each response, removes ports from `X-Forwarded-For`, and passes the request to the log. */
function observer({trustProxy, extension}: AppOptions, context: Context): RequestHook {
  const logRequest = requestLogger(context);
  return (request, reply) => {
    reply.headers(defaultHeaders);
    if (extension !== undefined) reply.headers(extension.responseHeaders());
    reply.header(headers.requestId, request.id);
    const {headers: sent} = request.raw;
    const forwardedFor = sent['x-forwarded-for'];
    if (trustProxy !== undefined && typeof forwardedFor === 'string') {
      sent['x-forwarded-for'] = withoutPorts(forwardedFor);
    }
    logRequest(request, reply);
  };
}

/** Sends any error as a problem document. Details of unexpected errors go to the log only. */
function sendProblem({log, metrics}: Context) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = toProblem(error);
    metrics.problems.inc({code: problem.code});
    // A reached bound of an organization is not a failure of the service.
    if (problem.status >= 500 && !problem.code.startsWith('too_many_'))
      log.error({request_id: request.id, err: error}, problem.code);
    reply.problemCode = problem.code;
    reply
      .code(problem.status)
      .headers(problemHeaders(problem))
      .send(JSON.stringify(problemDocument(problem, request.id)));
  };
}

/** Parses bodies as JSON, and only for routes that take one. */
function readBodiesAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    '*',
    {parseAs: 'buffer'},
    async (request: FastifyRequest, bytes: Buffer) =>
      request.routeOptions.schema?.body === undefined ? undefined : parseBody(bytes),
  );
}

/** Minimum milliseconds between two recorded uses of a key. */
const lagMilliseconds = 60_000;

/**
 * Records the time of each key's last use in the store, at most once per minute and key, because a read must not cost a
 * write. A use that a crash or a failed write loses is not recorded later; the next use after a minute is recorded.
 */
function createKeyUses(store: Store, log: Log): Context['noteKeyUse'] {
  // The number of keys bounds this map: unknown keys are refused before.
  const noted = new Map<string, number>();
  return ({id, lastUsedAt}, at) => {
    if (at - Math.max(lastUsedAt ?? 0, noted.get(id) ?? 0) < lagMilliseconds) return;
    noted.set(id, at);
    store.recordKeyUse(id, at).catch((error: unknown) => {
      log.debug({err: error, key_id: id}, 'cannot record the use of a key');
    });
  };
}
