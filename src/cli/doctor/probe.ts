import http, {type ClientRequest, IncomingMessage} from 'node:http';
import https from 'node:https';
import type {Socket} from 'node:net';
import {TLSSocket} from 'node:tls';
import type {ProxyRoute} from '../../client/proxy.js';
import {headers as headerNames} from '../../contract/headers.js';

/** The route and the time limit of a probe. */
interface ProbeOptions {
  /** Milliseconds that each step may take; then it fails with an error named `TimeoutError`. */
  readonly limit: number;
  readonly route?: Pick<ProxyRoute, 'agent'> | undefined;
}

/** The result of a TLS handshake. */
export interface Handshake {
  /** For instance `TLSv1.3`. */
  readonly protocol: string;
  /** OpenSSL's error code for the certificate; undefined for a valid one. */
  readonly certificateError: string | undefined;
  readonly validTo: Date;
  /** The names in the certificate, in its own notation. */
  readonly names: string;
}

/** The result of an HTTP request, whatever its status. */
interface HttpResponse {
  readonly version: string;
  readonly status: number;
  readonly location: string | undefined;
  /** Milliseconds that this machine's clock is ahead of the service's; undefined without `Date`. */
  readonly skew: number | undefined;
  /** Whether the service is a sandbox, by its header. */
  readonly isSandbox: boolean;
}

/**
 * One GET request of the base URL, without the API key. Each method waits for one event on its way, in the
 * order of the methods. The TLS handshake completes with any certificate, to report what is wrong with it;
 * nothing is sent before `response`.
 */
export class Probe {
  readonly #request: ClientRequest;
  readonly #limit: number;
  readonly #failed: Promise<never>;
  readonly #socket: Promise<Socket>;
  readonly #lookup: Promise<readonly string[]>;
  readonly #connect: Promise<unknown>;
  readonly #secureConnect: Promise<unknown>;

  constructor(url: URL, {limit, route}: ProbeOptions) {
    const isSecure = url.protocol === 'https:';
    const agent = (isSecure ? route?.agent.https : route?.agent.http) ?? false;
    this.#limit = limit;
    this.#request = (isSecure ? https : http).request(url, {agent, rejectUnauthorized: false});
    this.#failed = new Promise((_, reject) => this.#request.on('error', reject));
    // Handled by the step that waits for it, if any.
    this.#failed.catch(() => undefined);
    this.#socket = next(this.#request, 'socket');
    // From the start, because the events may come before the step that waits for them.
    this.#lookup = this.#socket.then(addressesOf);
    this.#connect = this.#socket.then((socket) => next(socket, 'connect'));
    this.#secureConnect = this.#socket.then((socket) => next(socket, 'secureConnect'));
  }

  /** Waits for the tunnel of a proxy. */
  async tunnel(): Promise<void> {
    await this.#step(this.#socket);
  }

  /** The addresses of the host. */
  lookup(): Promise<readonly string[]> {
    return this.#step(this.#lookup);
  }

  /** The address that accepts the connection. */
  async connection(): Promise<string | undefined> {
    await this.#step(this.#connect);
    return (await this.#socket).remoteAddress;
  }

  async handshake(): Promise<Handshake> {
    await this.#step(this.#secureConnect);
    const socket = await this.#socket;
    if (!(socket instanceof TLSSocket)) throw new Error('no TLS socket');
    const {valid_to: validTo, subjectaltname: names = ''} = socket.getPeerCertificate();
    return {
      protocol: socket.getProtocol() ?? 'TLS',
      certificateError: socket.authorized ? undefined : String(socket.authorizationError),
      validTo: new Date(validTo),
      names,
    };
  }

  /** Sends the request. */
  async response(): Promise<HttpResponse> {
    const responded = next(this.#request, 'response');
    this.#request.end();
    const response = await this.#step(responded);
    if (!(response instanceof IncomingMessage)) throw new Error('no HTTP response');
    const {httpVersion: version, statusCode: status = 0, headers} = response;
    const theirs = Date.parse(headers.date ?? '');
    const skew = Number.isNaN(theirs) ? undefined : Date.now() - theirs;
    const isSandbox = headers[headerNames.sandbox] !== undefined;
    return {version, status, location: headers.location, skew, isSandbox};
  }

  close(): void {
    this.#request.destroy();
  }

  #step<T>(event: Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.#limit);
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), {once: true});
    });
    return Promise.race([event, this.#failed, over]);
  }
}

/** The next event of this name. Unlike `once` of Node, it does not fail on an error. */
function next<T>(emitter: NodeJS.EventEmitter, name: string): Promise<T> {
  return new Promise((resolve) => emitter.once(name, resolve));
}

/** Node emits `lookup` once per address, all in one go. */
async function addressesOf(socket: Socket): Promise<readonly string[]> {
  const addresses: string[] = [];
  await new Promise<void>((resolve) => {
    socket.on('lookup', (error: Error | null, address: string) => {
      // The request fails with the error.
      if (error !== null) return;
      addresses.push(address);
      resolve();
    });
  });
  return addresses;
}
