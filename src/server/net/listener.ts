import {createServer as createHttpServer, type RequestListener, type Server} from 'node:http';
import {createServer as createHttpsServer, Server as HttpsServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import type {FastifyInstance} from 'fastify';
import {limits} from '../../contract/index.js';
import {AppError} from '../../errors.js';
import {errorCode, errorMessage} from '../../system/system-error.js';
import {isLoopbackHost} from './addresses.js';
import {OneAtATime} from './one-at-a-time.js';
import {connectionsThatFit, readProcessLimits} from './open-files.js';
import {readTls, type TlsFiles, type TlsSettings, type TlsState} from './tls.js';

/** Default time limits of connections, in milliseconds. */
export const defaultTimeLimits = {
  /** From the first byte of a request, or from the connection, to the end of its headers. */
  headers: 10_000,
  /** From the first byte of a request to the last. */
  request: 30_000,
  /** Between two requests: longer than the usual heartbeat interval, to keep connections open. */
  keepAlive: 75_000,
  /** Without a byte in either direction, for instance while a client does not read a response. */
  idle: 120_000,
  /** From the start of a shutdown until connections with requests in flight are cut. */
  stop: 10_000,
  /** From the start of a shutdown until connections with an incomplete request or TLS handshake are cut. */
  stopUnused: 1000,
};
export type TimeLimits = Readonly<typeof defaultTimeLimits>;

/** Where and how to listen. */
export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Serve HTTPS with this certificate and key. */
  readonly tls?: TlsFiles | undefined;
  /** Called each time a usable certificate has been read. */
  readonly onTls?: ((state: TlsState) => void) | undefined;
  /** Allow other interfaces than loopback without TLS. */
  readonly insecureHttp?: boolean | undefined;
  readonly timeLimits?: Partial<TimeLimits> | undefined;
  /** Open connections; further ones are dropped. Default 100,000, or what the limit of open files allows. */
  readonly maxConnections?: number | undefined;
}

/** A listening service. */
export interface Listener {
  readonly url: string;
  /**
   * Reloads the certificate for new connections. Does nothing without TLS.
   *
   * @throws AppError when it is not usable; the previous one stays in use
   */
  reloadTls(): void;
  /** Stops accepting connections, drains requests in flight, and cuts those beyond the `stop` limit. */
  close(): Promise<void>;
}

/** What hands requests to the app of each server, and knows the connections that a shutdown must not close. */
const guards = new WeakMap<Server, OneAtATime>();
/** Milliseconds between checks of the connections: for time limits, and for idle ones during a shutdown. */
const checkMilliseconds = {limits: 500, stopping: 25} as const;

/**
 * Creates the HTTP servers of an app, for `AppOptions.createServer`.
 *
 * @throws AppError when the certificate is not usable, or when TLS is required
 */
export function serverFactory(options: ListenOptions): (handler: RequestListener) => Server {
  refuseClearText(options);
  const times = {...defaultTimeLimits, ...options.timeLimits};
  const settings = {
    headersTimeout: times.headers,
    requestTimeout: times.request,
    keepAliveTimeout: times.keepAlive,
    connectionsCheckingInterval: Math.min(checkMilliseconds.limits, times.headers),
    maxHeaderSize: limits.headerBytes,
    // One part of a list fills it, so that a list reads the next part when its client has taken this one.
    highWaterMark: 8 * 1024,
  };
  const tls = loadTls(options);
  const maxConnections = options.maxConnections ?? connectionsThatFit(readProcessLimits());
  return (handler) => {
    const server =
      tls === undefined
        ? createHttpServer(settings)
        : createHttpsServer({
            ...settings,
            ...tls,
            handshakeTimeout: times.headers,
            allowHalfOpen: true,
          });
    // A client that ends its side after a request still gets the response.
    Object.assign(server, {httpAllowHalfOpen: true});
    const guard = new OneAtATime(handler);
    guard.attach(server);
    guards.set(server, guard);
    server.setTimeout(times.idle);
    server.maxConnections = maxConnections;
    return server;
  };
}

/**
 * Listens on an address: the only place that does.
 *
 * @param app created with `serverFactory(options)`
 * @throws AppError when the address is not available
 */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<Listener> {
  const {port} = options;
  // Fastify would bind `localhost` twice, IPv4 and IPv6, with a second server.
  const host = options.host === 'localhost' ? '127.0.0.1' : options.host;
  try {
    await app.listen({host, port});
  } catch (error) {
    await app.close();
    throw listenError(error, host, port);
  }
  const times = {...defaultTimeLimits, ...options.timeLimits};
  return {
    url: urlOf(app, options),
    reloadTls: () => reloadTls(app, options),
    close: () => close(app, times),
  };
}

function loadTls({tls, onTls}: ListenOptions): TlsSettings | undefined {
  if (tls === undefined) return undefined;
  const {settings, state} = readTls(tls);
  onTls?.(state);
  return settings;
}

function reloadTls({server}: FastifyInstance, options: ListenOptions): void {
  const settings = loadTls(options);
  if (settings !== undefined && server instanceof HttpsServer) server.setSecureContext(settings);
}

async function close(app: FastifyInstance, times: TimeLimits): Promise<void> {
  const {server} = app;
  const guard = guards.get(server);
  const startedAt = performance.now();
  const cutUnused = () => guard?.cutUnused(performance.now() - startedAt < times.stopUnused);
  // A connection whose last request was in flight becomes idle later, and would keep the server open.
  const check = setInterval(() => {
    server.closeIdleConnections();
    cutUnused();
  }, checkMilliseconds.stopping);
  const cut = setTimeout(() => server.closeAllConnections(), times.stop);
  try {
    await app.close();
  } finally {
    clearInterval(check);
    clearTimeout(cut);
  }
}

function urlOf(app: FastifyInstance, {host, tls}: ListenOptions): string {
  const address = app.server.address();
  const port = isAddressInfo(address) ? address.port : 0;
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** Keys cross a network in clear text only with explicit consent. */
function refuseClearText({host, tls, insecureHttp = false}: ListenOptions): void {
  if (tls !== undefined || insecureHttp || isLoopbackHost(host)) return;
  throw new AppError(
    'usage',
    `Refusing to serve ${host} without TLS: keys would be sent unencrypted.`,
    {reason: 'clear-text-refused', details: {host}},
  );
}

const listenErrors: Readonly<Record<string, {kind: 'usage' | 'unavailable'; reason: string}>> = {
  EADDRINUSE: {kind: 'unavailable', reason: 'listen-address-in-use'},
  EACCES: {kind: 'usage', reason: 'listen-port-privileged'},
  EADDRNOTAVAIL: {kind: 'usage', reason: 'listen-address-not-local'},
  ENOTFOUND: {kind: 'usage', reason: 'listen-host-unknown'},
};

function listenError(cause: unknown, host: string, port: number): AppError {
  const {kind, reason} = listenErrors[errorCode(cause) ?? ''] ?? {
    kind: 'unavailable',
    reason: 'listen-failed',
  };
  return new AppError(kind, `Cannot listen on ${host}, port ${port}: ${errorMessage(cause)}.`, {
    reason,
    details: {host, port: String(port)},
    cause,
  });
}
