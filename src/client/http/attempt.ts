import type {ClientRequest, IncomingMessage} from 'node:http';
import type {Socket} from 'node:net';
import type {Readable} from 'node:stream';
import type {TLSSocket} from 'node:tls';
import got, {type Request, type Response} from 'got';
import {AttemptError} from '../attempt-error.js';
import {errorMessage} from '../context.js';
import {type AttemptProgress, networkError, timeoutError} from '../errors/network.js';
import {
  isSuccess,
  longestBody,
  type ResponseHead,
  type ServiceRequest,
  type ServiceResponse,
  singleHeaders,
} from '../messages.js';
import {clientError} from '../reasons.js';
import type {Settings} from '../settings.js';
import type {ConnectionReading} from '../types.js';
import {isCrossOrigin, mayFollow, withoutKey} from './redirects.js';
import type {Trace} from './trace.js';

/** Sent with each request. */
const commonHeaders = {'user-agent': 'connectorctl', accept: 'application/json'} as const;

/**
 * got makes one attempt; `retry.ts` decides on retries, and `Attempt` on the time limit. Not `got.extend`, which
 * makes and checks all options once more.
 */
const common = {
  throwHttpErrors: false,
  decompress: true,
  http2: false,
  // To repeat a stream, got would read the whole error response, of any length, into memory.
  retry: {limit: 0},
  methodRewriting: false,
  maxRedirects: 5,
} as const;

const mebibyte = 1024 * 1024;

/**
 * Sends a request once and reads the response, whatever its status.
 *
 * @throws AttemptError when there is no response, or a success breaks off
 */
export async function attempt(
  request: ServiceRequest,
  settings: Settings,
  trace: Trace | undefined,
): Promise<ServiceResponse> {
  const current = new Attempt(request, settings, trace);
  try {
    return await current.run();
  } catch (error) {
    throw current.fail(error);
  } finally {
    current.close();
  }
}

/** One attempt: got's stream with its time limit and the caller's signal. */
class Attempt {
  readonly #request: ServiceRequest;
  readonly #settings: Settings;
  readonly #trace: Trace | undefined;
  readonly #onSignal = () => this.#break();
  #stream: Request | undefined;
  #sent: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #responded = false;
  /** The body so far. */
  readonly #received: Buffer[] = [];
  /** The current address: the request's own, or the target of a redirect. */
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
  }

  async run(): Promise<ServiceResponse> {
    const {signal} = this.#request;
    signal?.throwIfAborted();
    signal?.addEventListener('abort', this.#onSignal, {once: true});
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#break();
    }, this.#settings.timeout);
    const response = await this.#send();
    this.#responded = true;
    const head = this.#head(response);
    const isTooLong = await this.#readBody(response.request).catch((error: unknown) => {
      // The status of an error says more than that its body broke off.
      if (isSuccess(head)) throw error;
      return false;
    });
    const body = Buffer.concat(this.#received);
    this.#trace?.responseBody(body);
    return {...head, body, isTooLong};
  }

  /** The error of the attempt: canceled by the caller, timed out, or broken. */
  fail(error: unknown): AttemptError {
    const {error: failure, retryability} = this.#reason(error);
    this.#trace?.failure(failure.message);
    return new AttemptError(failure, retryability);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onSignal);
    this.#stream?.destroy();
  }

  #reason(error: unknown): AttemptError {
    const {context, signal, proxy} = this.#request;
    if (signal?.aborted) {
      const outcomeUnknown = this.#progress !== 'connecting';
      const error = clientError('cancelled', errorMessage(context, 'canceled'), 'cancelled', {
        outcomeUnknown,
      });
      return new AttemptError(error, 'permanent');
    }
    const point = {url: this.#at, progress: this.#progress, proxy};
    if (this.#expired) return timeoutError(context, this.#settings.timeout, point);
    if (!this.#responded && this.#sent?.reusedSocket) this.#request.onKeptConnectionLost();
    return networkError(context, error, point);
  }

  /** Once there is a connection, a part of the request may have been sent. */
  get #progress(): AttemptProgress['progress'] {
    if (this.#responded) return 'reading';
    const redirected = this.#at !== this.#request.url;
    const connected = this.#stream?.timings?.connect !== undefined;
    return redirected || connected ? 'waiting' : 'connecting';
  }

  #send(): Promise<Response> {
    const {method, url, headers, body, proxy, keepsConnection} = this.#request;
    if (proxy) this.#trace?.note(`through the proxy ${proxy.address}`);
    this.#trace?.start();
    const stream = got.stream(url, {
      ...common,
      method,
      headers: {...commonHeaders, ...headers},
      ...(body === undefined ? {} : {body}),
      ...(keepsConnection ? {} : {agent: {http: false, https: false}}),
      ...(proxy ? {agent: proxy.agent} : {}),
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
    // got waits for the body of a POST unless the stream ends.
    if (method === 'POST' && body === undefined) stream.end();
    return new Promise((resolve, reject) => {
      // Only where it is needed: the stack of an error costs more than the rest of this function.
      const abandoned = () => reject(new Error('The attempt was abandoned'));
      stream.once('close', abandoned);
      stream.once('response', (response) => {
        stream.off('close', abandoned);
        resolve(response);
      });
      // Never removed: an error without a reader must not end the process.
      stream.on('error', reject);
      stream.on('request', (sent) => {
        this.#sent = sent;
        this.#trace?.request(sent, this.#at, body);
      });
    });
  }

  #head(response: Response): ResponseHead {
    this.#trace?.response(response.statusCode, response.headers);
    const socket = this.#sent?.socket;
    if (socket) this.#settings.onConnection?.(connectionOf(socket, this.#request.proxy?.address));
    return responseHead(response, this.#at, this.#keyWithheld);
  }

  /**
   * Reads the body until it ends or is too long. Each mebibyte starts the time limit again. By events: an
   * asynchronous iterator takes a millisecond of a short run.
   *
   * @returns whether it is too long
   * @throws the error of the body, or that it was closed before its end
   */
  #readBody(body: Readable): Promise<boolean> {
    const longest = longestBody(this.#request.context.operation);
    let mebibytes = 0;
    return new Promise((resolve, reject) => {
      const closed = () =>
        reject(body.errored ?? new Error('The response was closed before its end'));
      if (body.destroyed) return closed();
      body.on('data', (part: Buffer) => {
        this.#received.push(part);
        const before = mebibytes;
        mebibytes += part.length / mebibyte;
        if (mebibytes > longest) resolve(true);
        else if (Math.floor(mebibytes) > Math.floor(before)) this.#timer?.refresh();
      });
      body.once('end', () => resolve(false));
      body.on('error', reject);
      body.once('close', closed);
    });
  }

  /**
   * Fails pending reads from the service. An `AbortSignal` would take a millisecond to load; an error passed to
   * `destroy` would make got read its stack.
   */
  #break(): void {
    this.#stream?.destroy();
  }
}

function connectionOf(socket: Socket, proxy: string | undefined): ConnectionReading {
  const {remoteAddress = 'unknown', remotePort, remoteFamily} = socket;
  const host = remoteFamily === 'IPv6' ? `[${remoteAddress}]` : remoteAddress;
  const end =
    'getPeerCertificate' in socket
      ? new Date((socket as TLSSocket).getPeerCertificate().valid_to)
      : undefined;
  return {address: `${host}:${remotePort}`, proxy, certificateEnd: end};
}

/** @param url the address that sent the response */
function responseHead(
  response: Pick<IncomingMessage, 'headers' | 'statusCode'>,
  url: URL,
  keyWithheld: boolean,
): ResponseHead {
  const headers = singleHeaders(response.headers);
  const date = new Date(headers['date'] ?? Number.NaN);
  return {
    status: response.statusCode ?? 0,
    headers,
    url,
    serverTime: Number.isNaN(date.getTime()) ? undefined : date,
    keyWithheld,
  };
}
