import {createServer as createHttpServer, type RequestListener, type Server} from 'node:http';
import {createServer as createHttpsServer, Server as HttpsServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import type {FastifyInstance} from 'fastify';
import ipaddr from 'ipaddr.js';
import {limits} from '../../contract/index.js';
import {AppError} from '../../errors.js';
import {errorMessage} from '../../node-errors.js';
import {ConnectionGuard, defaultMemoryLimits, type MemoryLimits} from './connection-guard.js';
import {connectionsThatFit, readProcessLimits} from './open-files.js';
import {readTls, type TlsFiles, type TlsSettings, type TlsState} from './tls.js';

/** Time limits of connections, in milliseconds. */
export interface TimeLimits {
  /** From the first byte of a request, or from the connection, to the end of its headers. */
  readonly headers: number;
  /** From the first byte of a request to its last. */
  readonly request: number;
  /** From a response to the next request: above the usual heartbeat interval, so that connections last. */
  readonly keepAlive: number;
  /** Without a byte in either direction: who does not read a response is cut. */
  readonly idle: number;
  /** From the wish to stop to the cut of what is still in flight. */
  readonly stop: number;
  /** From the wish to stop to the cut of connections on which a request, or a TLS handshake, has only begun. */
  readonly stopUnused: number;
}

/** The limits unless told otherwise. */
export const defaultTimeLimits: TimeLimits = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 75_000,
  idle: 120_000,
  stop: 10_000,
  stopUnused: 1000,
};

/** Where and how to listen. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Serve HTTPS with these. */
  readonly tls?: TlsFiles | undefined;
  /** Told of the certificate each time that it was read and can be used. */
  readonly onTls?: ((state: TlsState) => void) | undefined;
  /** Serve beyond this machine without TLS. */
  readonly insecureHttp?: boolean | undefined;
  readonly timeLimits?: Partial<TimeLimits> | undefined;
  /** Connections open at once; further ones are dropped. Default 100,000, or what the limit of open files allows. */
  readonly maxConnections?: number | undefined;
  /** Default: 100 waiting requests, and an eighth of the heap. */
  readonly memoryLimits?: Partial<MemoryLimits> | undefined;
}

/** A listening service. */
export interface Listener {
  readonly url: string;
  /** Connections that may be open at once. */
  readonly maxConnections: number;
  /**
   * Reads the certificate again, for connections to come. Nothing happens without TLS.
   *
   * @throws AppError when it cannot be used; the one before stays in use
   */
  reloadTls(): void;
  /** Accepts no more, finishes what is in flight, and cuts what takes longer than the `stop` limit. */
  close(): Promise<void>;
}

const defaultMaxConnections = 100_000;
/** The guard of each server, which knows the connections that must not be closed while stopping. */
const guards = new WeakMap<Server, ConnectionGuard>();
/** How often connections are looked over: for time limits, and when stopping for idle ones. */
const lookOverMilliseconds = {limits: 500, stopping: 25} as const;

/**
 * What makes the HTTP server around an app, for `AppOptions.createServer`.
 *
 * @throws AppError when the certificate cannot be used, or when it would serve others in clear text
 */
export function serverFactory(options: ListenOptions): (handler: RequestListener) => Server {
  refuseClearText(options);
  const times = {...defaultTimeLimits, ...options.timeLimits};
  const settings = {
    headersTimeout: times.headers,
    requestTimeout: times.request,
    keepAliveTimeout: times.keepAlive,
    connectionsCheckingInterval: Math.min(lookOverMilliseconds.limits, times.headers),
    maxHeaderSize: limits.headerBytes,
    // Node would refuse a missing Host with an empty answer; the app refuses it with a problem.
    requireHostHeader: false,
  };
  const tls = takeTls(options);
  const maxConnections = options.maxConnections ?? connectionLimit();
  return (handler) => {
    const server =
      tls === undefined
        ? createHttpServer(settings)
        : createHttpsServer({...settings, ...tls, handshakeTimeout: times.headers});
    const memoryLimits = {...defaultMemoryLimits(), ...options.memoryLimits};
    const guard = new ConnectionGuard(handler, memoryLimits);
    guard.attach(server);
    guards.set(server, guard);
    server.setTimeout(times.idle);
    server.maxConnections = maxConnections;
    return server;
  };
}

/**
 * Listens: the only place that does.
 *
 * @param app made with `serverFactory(options)`
 * @throws AppError when the address cannot be had
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
    maxConnections: app.server.maxConnections,
    reloadTls: () => reloadTls(app, options),
    close: () => close(app, times),
  };
}

function connectionLimit(): number {
  const fitting = connectionsThatFit(readProcessLimits()) ?? defaultMaxConnections;
  return Math.min(defaultMaxConnections, fitting);
}

function takeTls({tls, onTls}: ListenOptions): TlsSettings | undefined {
  if (tls === undefined) return undefined;
  const {settings, state} = readTls(tls);
  onTls?.(state);
  return settings;
}

function reloadTls({server}: FastifyInstance, options: ListenOptions): void {
  const settings = takeTls(options);
  if (settings !== undefined && server instanceof HttpsServer) server.setSecureContext(settings);
}

async function close(app: FastifyInstance, times: TimeLimits): Promise<void> {
  const {server} = app;
  const guard = guards.get(server);
  const startedAt = performance.now();
  const cutUnused = () => guard?.cutUnused(performance.now() - startedAt < times.stopUnused);
  // A connection whose last request was in flight becomes idle later, and would keep the server open.
  const look = setInterval(() => {
    server.closeIdleConnections();
    cutUnused();
  }, lookOverMilliseconds.stopping);
  const cut = setTimeout(() => server.closeAllConnections(), times.stop);
  try {
    await app.close();
  } finally {
    clearInterval(look);
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

/** Keys must not cross a network in clear text unless someone says so aloud (design §4). */
function refuseClearText({host, tls, insecureHttp = false}: ListenOptions): void {
  if (tls !== undefined || insecureHttp || isLoopback(host)) return;
  throw new AppError(
    'usage',
    `Refusing to serve ${host} without TLS: keys would travel readable.`,
    {
      hint: 'Give --tls-cert and --tls-key, or --insecure-http where a proxy or a private network protects them.',
    },
  );
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

const listenProblems: Readonly<Record<string, {kind: 'usage' | 'unavailable'; hint: string}>> = {
  EADDRINUSE: {
    kind: 'unavailable',
    hint: 'Another process listens there. Choose another with --port, or a free one with --port 0.',
  },
  EACCES: {
    kind: 'usage',
    hint: 'Ports below 1024 need privileges. Choose a higher one with --port.',
  },
  EADDRNOTAVAIL: {kind: 'usage', hint: 'This machine does not have that address. See --host.'},
  ENOTFOUND: {kind: 'usage', hint: 'There is no such host name. See --host.'},
};

function listenError(cause: unknown, host: string, port: number): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const {kind, hint} = listenProblems[code] ?? {
    kind: 'unavailable',
    hint: 'Choose another address with --host, or another port with --port.',
  };
  return new AppError(kind, `Cannot listen on ${host}, port ${port}: ${errorMessage(cause)}.`, {
    hint,
    cause,
  });
}
