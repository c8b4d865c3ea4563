import type {IncomingHttpHeaders} from 'node:http';
import got, {type Request, type Response} from 'got';
import {AttemptError} from '../attempt-error.js';
import {errorMessage} from '../context.js';
import {type AttemptProgress, networkError, timeoutError} from '../errors/network.js';
import {
  bufferedBytes,
  type ResponseHead,
  type ServiceRequest,
  type ServiceResponse,
} from '../messages.js';
import {clientError} from '../reasons.js';
import type {Settings} from '../settings.js';
import {Deadline} from './deadline.js';
import {isCrossOrigin, mayFollow, withoutKey} from './redirects.js';
import type {Trace} from './trace.js';

/** got does one exchange; what is repeated, and for how long, is decided in `retry.ts` and `Deadline`. */
const instance = got.extend({
  isStream: true,
  throwHttpErrors: false,
  decompress: true,
  http2: false,
  // got can repeat a stream only after it read the refused response, however long, into memory.
  retry: {limit: 0},
  methodRewriting: false,
  maxRedirects: 5,
  headers: {'user-agent': 'connectorctl', accept: 'application/json'},
});

/**
 * Sends a request once and reads the beginning of the response, whatever its status.
 *
 * @throws AttemptFailure when there is no response, or it breaks off within `wholeBytes`.
 */
export async function attempt(
  request: ServiceRequest,
  settings: Settings,
  trace: Trace | undefined,
): Promise<ServiceResponse> {
  const connection = new Attempt(request, settings, trace);
  try {
    return await connection.open();
  } catch (error) {
    throw connection.fail(error);
  }
}

/** One attempt: got's stream, its time limit, and the caller's signal, tied together. */
class Attempt {
  readonly #request: ServiceRequest;
  readonly #settings: Settings;
  readonly #trace: Trace | undefined;
  readonly #abort = new AbortController();
  readonly #deadline: Deadline;
  readonly #onSignal = () => this.#abort.abort();
  #stream: Request | undefined;
  #responded = false;
  /** The address that is being asked: the request's own, or where a redirect led. */
  #at: URL;
  #expired = false;
  #keyWithheld: boolean;

  constructor(request: ServiceRequest, settings: Settings, trace: Trace | undefined) {
    this.#request = request;
    this.#settings = settings;
    this.#trace = trace;
    this.#at = request.url;
    // The next page of a list may be at another origin from the start.
    this.#keyWithheld =
      settings.credential !== undefined && isCrossOrigin(settings.base, request.url);
    this.#deadline = new Deadline(settings.timeout, () => {
      this.#expired = true;
      this.#abort.abort();
    });
  }

  async open(): Promise<ServiceResponse> {
    const {signal} = this.#request;
    signal?.throwIfAborted();
    signal?.addEventListener('abort', this.#onSignal, {once: true});
    this.#deadline.start();
    const response = await this.#send();
    this.#responded = true;
    const head = this.#head(response);
    const chunks = response.request[Symbol.asyncIterator]();
    const {start, ended} = await readStart(chunks);
    this.#deadline.stop();
    if (ended) this.#close();
    this.#trace?.responseBody(ended ? start.toString() : undefined);
    const rest = {[Symbol.asyncIterator]: () => this.#rest(chunks), close: () => this.#close()};
    return {...head, start, rest: ended ? undefined : rest};
  }

  /** What became of this attempt: cancelled by the caller, out of time, or broken. */
  fail(error: unknown): AttemptError {
    this.#close();
    const failure = this.#reason(error);
    this.#trace?.failure(failure.message);
    return failure;
  }

  #reason(error: unknown): AttemptError {
    const {context, signal, proxy} = this.#request;
    if (signal?.aborted) {
      const outcomeUnknown = this.#progress !== 'connecting';
      const error = clientError('cancelled', errorMessage(context, 'cancelled'), 'cancelled', {
        outcomeUnknown,
      });
      return new AttemptError(error, 'permanent');
    }
    const point = {url: this.#at, progress: this.#progress, proxy};
    return this.#expired
      ? timeoutError(context, this.#settings.timeout, point)
      : networkError(context, error, point);
  }

  /** From the moment there is a connection, nobody can say that nothing was sent. */
  get #progress(): AttemptProgress['progress'] {
    if (this.#responded) return 'reading';
    const redirected = this.#at !== this.#request.url;
    const connected = this.#stream?.timings?.connect !== undefined;
    return redirected || connected ? 'waiting' : 'connecting';
  }

  #send(): Promise<Response> {
    const {method, url, headers, body, proxy} = this.#request;
    if (proxy) this.#trace?.note(`through the proxy ${proxy.address}`);
    this.#trace?.start();
    const stream = instance.stream(url, {
      method,
      headers,
      ...(body === undefined ? {} : {body}),
      ...(proxy ? {agent: proxy.agent} : {}),
      signal: this.#abort.signal,
      followRedirect: (response) => mayFollow(method, url, response),
      hooks: {
        beforeRedirect: [
          (options, response) => {
            this.#trace?.response(response.statusCode, response.headers);
            this.#at = new URL(options.url ?? url);
            if (isCrossOrigin(url, this.#at)) {
              withoutKey(options.headers, this.#settings.credential?.header);
              this.#keyWithheld = this.#settings.credential !== undefined;
            }
          },
        ],
      },
    });
    this.#stream = stream;
    // A POST without a body waits to be told that there is none.
    if (method === 'POST' && body === undefined) stream.end();
    return new Promise((resolve, reject) => {
      stream.once('response', resolve);
      // Stays: an error that comes while nobody reads must not take the process down.
      stream.on('error', reject);
      stream.on('request', (sent) => this.#trace?.request(sent, this.#at, body));
    });
  }

  #head(response: Response): ResponseHead {
    this.#trace?.response(response.statusCode, response.headers);
    const headers = singleHeaders(response.headers);
    const date = new Date(headers['date'] ?? Number.NaN);
    return {
      status: response.statusCode,
      headers,
      url: this.#at,
      serverTime: Number.isNaN(date.getTime()) ? undefined : date,
      keyWithheld: this.#keyWithheld,
    };
  }

  /**
   * The rest of a long body. The time limit then holds for each further `wholeBytes`, and only
   * while we wait: how fast the caller takes them is the caller's business.
   */
  async *#rest(chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, void> {
    let received = 0;
    try {
      this.#deadline.refill();
      for (;;) {
        this.#deadline.start();
        const {done, value} = await chunks.next();
        this.#deadline.stop();
        if (done) return;
        received += value.length;
        if (received >= bufferedBytes) {
          received = 0;
          this.#deadline.refill();
        }
        yield value;
      }
    } catch (error) {
      throw this.fail(error).error;
    } finally {
      this.#close();
    }
  }

  #close(): void {
    this.#deadline.stop();
    this.#request.signal?.removeEventListener('abort', this.#onSignal);
    this.#stream?.destroy();
  }
}

async function readStart(chunks: AsyncIterator<Buffer>): Promise<{start: Buffer; ended: boolean}> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length <= bufferedBytes) {
    const {done, value} = await chunks.next();
    if (done) return {start: Buffer.concat(parts), ended: true};
    parts.push(value);
    length += value.length;
  }
  return {start: Buffer.concat(parts), ended: false};
}

/** Headers that came more than once are joined as RFC 9110 §5.3 allows. */
function singleHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}
