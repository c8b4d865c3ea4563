import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import {request as httpsRequest} from 'node:https';
import type {Readable} from 'node:stream';
import type {AttemptError} from '../attempt-error.js';
import {type AttemptProgress, networkError, timeoutError} from '../errors/network.js';
import type {ServiceRequest, ServiceResponse} from '../messages.js';
import type {Settings} from '../settings.js';
import {attempt, commonHeaders, responseHead} from './attempt.js';
import {Deadline} from './deadline.js';
import {readStart} from './read-start.js';
import {type Headers, mayFollow} from './redirects.js';
import type {Trace} from './trace.js';

/**
 * Sends a request as `attempt` does, for a client that sends thousands: without got a POST takes a third
 * of the processor time. It leaves every special case to `attempt`.
 */
export async function directAttempt(
  request: ServiceRequest,
  settings: Settings,
  trace: Trace | undefined,
): Promise<ServiceResponse> {
  const {method, url, proxy, socket, signal} = request;
  if (method !== 'POST' || proxy || socket || signal || trace)
    return attempt(request, settings, trace);
  const sent = new DirectAttempt(request, settings);
  const response = await sent.open();
  if (!isRedirect(response) || !mayFollow(method, url, response)) return sent.read(response);
  // Safe to send again: the service has only named another address.
  sent.close();
  return attempt(request, settings, trace);
}

/** The parts of each address that Node.js needs: parsing it takes longer than a system call. */
const targets = new WeakMap<URL, RequestOptions>();

function targetOf(url: URL): RequestOptions {
  const known = targets.get(url);
  if (known !== undefined) return known;
  const {protocol, port, pathname, search} = url;
  // Without the brackets of an IPv6 address.
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const target = {protocol, hostname, port, path: `${pathname}${search}`};
  targets.set(url, target);
  return target;
}

/** Alternating names and values, which Node.js sends unchanged: it adds neither host nor length. */
function rawHeaders(url: URL, headers: Headers, body: string | undefined): string[] {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return [...Object.entries(headers).flat(), 'host', url.host, 'content-length', String(length)];
}

class DirectAttempt {
  readonly #request: ServiceRequest;
  readonly #timeout: number;
  readonly #deadline: Deadline;
  readonly #sent: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  #progress: AttemptProgress['progress'] = 'connecting';
  #expired = false;

  constructor(request: ServiceRequest, {timeout}: Settings) {
    const {url, body, method} = request;
    this.#request = request;
    this.#timeout = timeout;
    this.#deadline = new Deadline(timeout, () => {
      this.#expired = true;
      this.#sent.destroy();
    });
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // A response that is compressed nevertheless is decoded.
    const headers = {...commonHeaders, 'accept-encoding': 'identity', ...request.headers};
    this.#sent = send({...targetOf(url), method, headers: rawHeaders(url, headers, body)});
    this.#deadline.start();
    this.#response = new Promise((resolve, reject) => {
      this.#sent.once('response', resolve);
      // Never removed: a later error must not end the process.
      this.#sent.on('error', reject);
      // After `101 Switching Protocols` there is neither a response nor an error.
      this.#sent.once('close', () =>
        reject(new Error('the connection was closed without a response')),
      );
    });
    this.#sent.once('socket', (socket) => {
      const connected = () => {
        this.#progress = 'waiting';
      };
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    this.#sent.end(body);
  }

  /** @throws AttemptError when there is no response */
  async open(): Promise<IncomingMessage> {
    try {
      const response = await this.#response;
      this.#progress = 'reading';
      return response;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** @throws AttemptError when the response breaks off within `bufferedBytes` */
  async read(response: IncomingMessage): Promise<ServiceResponse> {
    try {
      const {start, ended, body} = await readStart(await decoded(response));
      const head = responseHead(response, this.#request.url, false);
      if (ended) {
        this.#deadline.stop();
        return {...head, start, rest: undefined};
      }
      const rest = {
        [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
        close: () => this.close(),
      };
      return {...head, start, rest};
    } catch (error) {
      throw this.#fail(error);
    }
  }

  close(): void {
    this.#deadline.stop();
    this.#sent.destroy();
  }

  #fail(error: unknown): AttemptError {
    this.close();
    const {context, url, proxy} = this.#request;
    const point = {url, progress: this.#progress, proxy};
    return this.#expired
      ? timeoutError(context, this.#timeout, point)
      : networkError(context, error, point);
  }
}

function isRedirect({statusCode = 0, headers}: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
}

/** The body, decoded if every supported Node can decode its content coding (RFC 9110 §8.4.1). */
async function decoded(response: IncomingMessage): Promise<Readable> {
  const coding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!['br', 'deflate', 'gzip'].includes(coding)) return response;
  const [{createBrotliDecompress, createUnzip}, {pipeline}] = await Promise.all([
    import('node:zlib'),
    import('node:stream'),
  ]);
  const decoder = coding === 'br' ? createBrotliDecompress() : createUnzip();
  // Its error reaches the reader of the decoder.
  pipeline(response, decoder, () => undefined);
  return decoder;
}
