import type {IncomingHttpHeaders} from 'node:http';
import {Readable} from 'node:stream';
import type {Client, Dispatcher} from 'undici';
import type {AttemptError} from '../attempt-error.js';
import {type AttemptProgress, networkError, timeoutError} from '../errors/network.js';
import {
  bufferedBytes,
  type ResponseHead,
  type ServiceRequest,
  type ServiceResponse,
} from '../messages.js';
import type {Settings} from '../settings.js';
import {attempt, commonHeaders, responseHead} from './attempt.js';
import {asNodeError, Connections, type Ending, isMisread} from './connections.js';
import {Deadline} from './deadline.js';
import {readStart} from './read-start.js';
import {mayFollow} from './redirects.js';

/**
 * Returns a function that sends requests as `attempt` does, for a client that sends thousands: through undici,
 * whose POST takes half of the processor time. `attempt` handles every special case, and the first request to
 * each address, which shows whether the service needs one.
 */
export function directAttempts(): typeof attempt {
  /** The addresses that have responded to `attempt`. */
  const probed = new Set<URL>();
  /** Those that only `attempt` can handle. */
  const special = new Set<URL>();
  const connections = new Connections();

  const probe: typeof attempt = async (request, settings, trace) => {
    const {url} = request;
    // Undici fails at `100 Continue`, which a client must accept (RFC 9110 §15.2).
    const response = await attempt(request, settings, trace, () => special.add(url));
    if (response.url !== url) special.add(url);
    probed.add(url);
    return response;
  };

  return async (request, settings, trace) => {
    const {method, url, proxy, socket, signal} = request;
    if (method !== 'POST' || proxy || socket || signal || trace || special.has(url)) {
      return attempt(request, settings, trace);
    }
    if (!probed.has(url)) return probe(request, settings, trace);
    const connection = connections.take() ?? (await connections.open(url, settings));
    const current = new DirectAttempt(request, settings, (ending) => {
      connections.release(connection, ending);
      if (ending === 'misread') special.add(url);
    });
    const response = await current.send(connection.client, {reset: !connections.areKept});
    const {status: statusCode, headers} = response;
    const isRedirect = statusCode >= 300 && statusCode < 400;
    if (!isRedirect || !mayFollow(method, url, {statusCode, headers})) return response;
    // Safe to send again: the service has only named another address.
    response.rest?.close();
    return attempt(request, settings, trace);
  };
}

/** One attempt: what undici calls while it sends a request and reads the response. */
class DirectAttempt implements Dispatcher.DispatchHandler {
  readonly #request: ServiceRequest;
  readonly #timeout: number;
  readonly #onEnd: (ending: Ending) => void;
  readonly #deadline: Deadline;
  readonly #start: Buffer[] = [];
  #length = 0;
  #resolve: (response: ServiceResponse) => void = () => undefined;
  #reject: (error: AttemptError) => void = () => undefined;
  #progress: AttemptProgress['progress'] = 'connecting';
  #controller: Dispatcher.DispatchController | undefined;
  #isComplete = false;
  #isOver = false;
  #head: ResponseHead | undefined;
  /** A body that is not simply collected: compressed, or the rest of a long one. */
  #body: Readable | undefined;

  constructor(request: ServiceRequest, {timeout}: Settings, onEnd: (ending: Ending) => void) {
    this.#request = request;
    this.#timeout = timeout;
    this.#onEnd = onEnd;
    this.#deadline = new Deadline(timeout, () => this.#expire());
  }

  /** @throws AttemptError when there is no response, or it breaks off within `bufferedBytes` */
  send(client: Client, {reset}: {readonly reset: boolean}): Promise<ServiceResponse> {
    const {method, url, headers, body = null} = this.#request;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#deadline.start();
      // A body that is compressed nevertheless is decoded.
      const all = {...commonHeaders, 'accept-encoding': 'identity', ...headers};
      const path = `${url.pathname}${url.search}`;
      client.dispatch({path, method, reset, headers: all, body}, this);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#progress = 'waiting';
  }

  onResponseStart(_: unknown, statusCode: number, headers: IncomingHttpHeaders): void {
    // Another response follows (RFC 9110 §15.2).
    if (statusCode < 200) return;
    this.#progress = 'reading';
    this.#head = responseHead({statusCode, headers}, this.#request.url, false);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#length === 0) this.#body = this.#encoded();
    if (this.#body !== undefined) {
      this.#length += chunk.length;
      if (!this.#body.push(chunk)) controller.pause();
      return;
    }
    this.#start.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= bufferedBytes) return;
    controller.pause();
    this.#body = this.#stream();
    this.#settle(joined(this.#start), this.#body);
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    if (this.#body !== undefined) this.#body.push(null);
    else this.#settle(joined(this.#start), undefined);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#body?.destroy(error);
    if (this.#progress !== 'connecting' && isMisread(error)) this.#fail(error, 'misread');
    else this.#fail(error, this.#progress === 'waiting' ? 'lost' : 'failed');
  }

  /** The body, which is decoded meanwhile; undefined when it is to be taken as it is. */
  #encoded(): Readable | undefined {
    const coding = this.#head?.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (!isDecodable(coding)) return undefined;
    const encoded = this.#stream();
    decoded(encoded, coding)
      .then(readStart)
      .then(
        ({start, ended, body}) => this.#settle(start, ended ? undefined : body),
        (error: Error) => this.#fail(error),
      );
    return encoded;
  }

  #stream(): Readable {
    const body = new Readable({read: () => this.#controller?.resume()});
    // Its reader gets the error; without a reader it must not end the process.
    return body.on('error', () => undefined);
  }

  #settle(start: Buffer, body: Readable | undefined): void {
    if (this.#head === undefined) throw new Error('the body comes before the head');
    if (body === undefined) this.#end();
    this.#resolve({...this.#head, start, rest: body && this.#rest(body)});
  }

  /** Within the time limit of the attempt. */
  #rest(body: Readable): ServiceResponse['rest'] {
    return {[Symbol.asyncIterator]: () => body[Symbol.asyncIterator](), close: () => this.#end()};
  }

  #expire(): void {
    this.#reject(timeoutError(this.#request.context, this.#timeout, this.#point));
    this.#end();
  }

  #fail(error: Error, ending?: Ending): void {
    this.#end(ending);
    this.#reject(networkError(this.#request.context, asNodeError(error), this.#point));
  }

  get #point(): AttemptProgress {
    return {url: this.#request.url, progress: this.#progress, proxy: undefined};
  }

  #end(ending: Ending = this.#isComplete ? 'complete' : 'failed'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline.stop();
    this.#onEnd(ending);
  }
}

/** Most bodies come in one chunk, which need not be copied. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** The content codings of every Node (RFC 9110 §8.4.1); any other stays. */
function isDecodable(coding: string): boolean {
  return coding === 'br' || coding === 'deflate' || coding === 'gzip';
}

async function decoded(body: Readable, coding: string): Promise<Readable> {
  const [{createBrotliDecompress, createUnzip}, {pipeline}] = await Promise.all([
    import('node:zlib'),
    import('node:stream'),
  ]);
  const decoder = coding === 'br' ? createBrotliDecompress() : createUnzip();
  // Its error reaches the reader of the decoder.
  pipeline(body, decoder, () => undefined);
  return decoder;
}
