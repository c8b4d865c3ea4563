import {existsSync, readFileSync} from 'node:fs';
import {createServer as createHttpServer, type RequestListener, type Server} from 'node:http';
import {createServer as createHttpsServer, Server as HttpsServer} from 'node:https';
import type {FastifyInstance} from 'fastify';
import {limits} from '../../contract/index.js';
import {AppError} from '../../errors.js';
import {errorCode, errorMessage} from '../../system/system-error.js';
import {isLoopbackHost} from './addresses.js';
import {OneAtATime} from './one-at-a-time.js';
import {expiryOf, readTls, type TlsFiles} from './tls.js';

/** Default time limits of connections, in milliseconds. */
export const defaultTimeLimits = {
  /** From the first byte of a request, or from the connection, to the end of its headers. */
  headers: 10_000,
  /** From the first byte of a request to the last. */
  request: 30_000,
  /** Between two requests: longer than the usual heartbeat interval, to keep connections open. */
  keepAlive: 75_000,
  /** Without traffic in either direction, for instance while a client does not read a response. */
  idle: 120_000,
  /** From the start of a shutdown until connections with requests in flight are cut. */
  stop: 10_000,
  /** From the start of a shutdown until connections with incomplete headers or TLS handshakes are cut. */
  stopUnused: 500,
};

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Serve HTTPS with this certificate and key. */
  readonly tls?: TlsFiles | undefined;
  /** Called each time a certificate has been read, with its expiry in milliseconds since the Unix epoch. */
  readonly onCertificate?: ((expiresAt: number) => void) | undefined;
  /** Allow plain HTTP on interfaces other than loopback. */
  readonly insecureHttp?: boolean | undefined;
  readonly timeLimits?: Partial<typeof defaultTimeLimits> | undefined;
  /** Maximum number of open connections; more are dropped. Default: 100,000, or what the limit of open files allows. */
  readonly maxConnections?: number | undefined;
}

/** Milliseconds between checks of connections: for exceeded time limits, and for idle ones during a shutdown. */
const checkMilliseconds = {limits: 500, stopping: 25} as const;

/** Serves an app on an address. All TCP listening of the service happens here. */
export class Listener {
  /** The URL of the service, once it listens. */
  url = '';
  readonly #options: ListenOptions;
  readonly #maxConnections: number;
  readonly #times: typeof defaultTimeLimits;
  #tls: ReturnType<typeof readTls> | undefined;
  #app: FastifyInstance | undefined;
  #guard: OneAtATime | undefined;

  /** @throws AppError when the certificate is not usable, TLS is required but missing, or too few files may be open */
  constructor(options: ListenOptions) {
    this.#options = options;
    this.#times = {...defaultTimeLimits, ...options.timeLimits};
    refuseClearText(options);
    this.#maxConnections = options.maxConnections ?? connectionsThatFit();
    this.#readCertificate();
  }

  /** Creates the HTTP server of the app, for `AppOptions.createServer`. */
  readonly createServer = (handler: RequestListener): Server => {
    const {headers, request, keepAlive, idle} = this.#times;
    const settings = {
      headersTimeout: headers,
      requestTimeout: request,
      keepAliveTimeout: keepAlive,
      connectionsCheckingInterval: Math.min(checkMilliseconds.limits, headers),
      maxHeaderSize: limits.headerBytes,
      // One part of a list fills the buffer, so that a list stays at most one part ahead of its connection.
      highWaterMark: 8 * 1024,
    };
    const tls = this.#tls && {...this.#tls, handshakeTimeout: headers, allowHalfOpen: true};
    const server = tls ? createHttpsServer({...settings, ...tls}) : createHttpServer(settings);
    // A client that half-closes the connection after its request still gets the response.
    Object.assign(server, {httpAllowHalfOpen: true});
    this.#guard = new OneAtATime(server, handler);
    server.setTimeout(idle);
    server.maxConnections = this.#maxConnections;
    return server;
  };

  /**
   * @param app created with `createServer`
   * @throws AppError when the address is not available
   */
  async listen(app: FastifyInstance): Promise<void> {
    const {host, port, tls} = this.#options;
    try {
      // If `localhost` has an IPv4 and an IPv6 address, Fastify would start a second server, to bind both.
      await app.listen({host: host === 'localhost' ? '127.0.0.1' : host, port});
    } catch (error) {
      await app.close();
      throw listenError(error, host, port);
    }
    this.#app = app;
    const address = app.server.address();
    const bound = typeof address === 'object' ? address?.port : undefined;
    const name = host.includes(':') ? `[${host}]` : host;
    this.url = `${tls === undefined ? 'http' : 'https'}://${name}:${bound}`;
  }

  /**
   * Reloads the certificate for new connections. Does nothing without TLS.
   *
   * @throws AppError when the new certificate is not usable; the previous one stays in use
   */
  reloadTls(): void {
    this.#readCertificate();
    const server = this.#app?.server;
    if (this.#tls && server instanceof HttpsServer) server.setSecureContext(this.#tls);
  }

  /** Stops accepting connections, drains requests in flight, and cuts those beyond the `stop` limit. */
  async close(): Promise<void> {
    const server = this.#app?.server;
    const unusedUntil = performance.now() + this.#times.stopUnused;
    // A connection with a request in flight becomes idle only later, and would then keep the server open.
    const check = setInterval(() => {
      server?.closeIdleConnections();
      if (performance.now() >= unusedUntil) this.#guard?.cutUnused();
    }, checkMilliseconds.stopping);
    const cut = setTimeout(() => server?.closeAllConnections(), this.#times.stop);
    try {
      await this.#app?.close();
    } finally {
      clearInterval(check);
      clearTimeout(cut);
    }
  }

  #readCertificate(): void {
    const {tls, onCertificate} = this.#options;
    if (tls === undefined) return;
    this.#tls = readTls(tls);
    onCertificate?.(expiryOf(this.#tls.cert));
  }
}

const mostConnections = 100_000;
const fewestConnections = 64;
/** Open files reserved for the store, the log and a database, so that connections cannot use them up. */
const otherFiles = 256;

/** The number of connections that the limit of open files allows (proc_pid_limits(5)). @throws AppError `usage` */
function connectionsThatFit(): number {
  // Only Linux has this file; other systems get the default.
  const path = '/proc/self/limits';
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const files = Number(/^Max open files +(\d+)/m.exec(text)?.[1] ?? Number.MAX_VALUE);
  const needed = otherFiles + fewestConnections;
  if (files >= needed) return Math.min(files - otherFiles, mostConnections);
  const message = `This process may open ${files} files; the service needs at least ${needed}.`;
  throw new AppError('usage', message, {reason: 'open-files-too-few'});
}

/** Refuses to send keys over a network in clear text without explicit consent. @throws AppError `usage` */
function refuseClearText({host, tls, insecureHttp = false}: ListenOptions): void {
  if (tls !== undefined || insecureHttp || isLoopbackHost(host)) return;
  const message = `Refusing to serve ${host} without TLS: keys would be sent unencrypted.`;
  throw new AppError('usage', message, {reason: 'clear-text-refused', details: {host}});
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
