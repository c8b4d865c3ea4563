import {
  type Agent,
  type IncomingMessage,
  maxHeaderSize,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import {request as requestHttps} from 'node:https';
import {brotliDecompressSync, gunzipSync, inflateSync} from 'node:zlib';
import {errorCode} from '../system/error-codes.js';
import {type Call, type Exchange, longestJson, type ProbeResponse} from './exchange.js';

/** Largest body that is read, in bytes: of a list, and of any other response. */
export const bodyLimits = {list: 64 * 1024 * 1024, other: longestJson} as const;

/** Time-outs of one operation in a row after which it is not tried again. */
const mostTimeouts = 2;

/** Same-origin redirects of one request that are followed. */
const mostRedirects = 3;

export interface ProbeOptions {
  /** Milliseconds from the start of a request to the last byte of its response. */
  readonly timeout: number;
  /** For requests through a proxy. */
  readonly agent?: {readonly http?: unknown; readonly https?: unknown} | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

/** Thrown when no connection to the service can be established. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  /** Code of the system's error, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/**
 * A plain HTTP client that shows responses as they come: no retry, no connection kept open, and limits
 * for time and size, so that a slow or hostile service can neither hang the suite nor fill its memory.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #timeouts = new Map<string, number>();

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, and follows redirects on the same origin that keep its method.
   *
   * @throws Unreachable when no connection can be established
   */
  async send(call: Call): Promise<Exchange> {
    const key = call.operation ?? call.method;
    if ((this.#timeouts.get(key) ?? 0) >= mostTimeouts) {
      const failure = `not sent, because the last ${mostTimeouts} requests of this operation timed out`;
      return {call, response: undefined, failure};
    }
    let exchange = await this.#attempt(call);
    for (let redirects = 0; redirects < mostRedirects; redirects += 1) {
      const url = redirectOf(exchange);
      if (url === undefined) break;
      exchange = await this.#attempt({...call, url});
    }
    const timedOut = /\btimed out\b/.test(exchange.failure ?? exchange.response?.defect ?? '');
    this.#timeouts.set(key, timedOut ? (this.#timeouts.get(key) ?? 0) + 1 : 0);
    this.#options.onExchange?.(exchange);
    return exchange;
  }

  #attempt(call: Call): Promise<Exchange> {
    const {timeout, agent, signal} = this.#options;
    const {url, method, headers, body} = call;
    const isTls = url.protocol === 'https:';
    const limit = call.operation === 'list' ? bodyLimits.list : bodyLimits.other;
    return new Promise((resolve, reject) => {
      const sentAt = Date.now();
      let isConnected = false;
      let isOver = false;
      let head: {message: IncomingMessage; receivedAt: number} | undefined;
      const chunks: Buffer[] = [];
      let size = 0;
      const options: RequestOptions = {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && {'content-length': Buffer.byteLength(body)}),
        },
        agent: ((isTls ? agent?.https : agent?.http) as Agent | undefined) ?? false,
        ...(signal && {signal}),
      };
      const request = (isTls ? requestHttps : requestHttp)(url, options);
      const timer = setTimeout(() => end(`timed out after ${timeout / 1000} s`), timeout);

      /** @param defect why it ended; undefined when the response is whole */
      const end = (defect?: string, code?: string) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        request.destroy();
        if (head !== undefined) {
          const {message, receivedAt} = head;
          // Nothing reads more than the start of a body that is too long.
          const body = Buffer.concat(chunks, size > limit ? longestJson : size);
          const times = {sentAt, receivedAt};
          resolve({
            call,
            response: responseOf(message, body, {defect, limit, ...times}),
            failure: undefined,
          });
        } else if (isConnected) resolve({call, response: undefined, failure: defect});
        else reject(new Unreachable(defect ?? 'the connection closed', code));
      };
      request.on('socket', (socket) => {
        isConnected = !socket.connecting;
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          isConnected = true;
        });
      });
      request.on('error', (error) => {
        if (signal?.aborted) {
          clearTimeout(timer);
          reject(signal.reason);
        } else if (head === undefined) end(failureText(error), errorCode(error));
      });
      request.on('close', () => end('the connection closed without a response'));
      request.on('response', (message) => {
        head = {message, receivedAt: Date.now()};
        message.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > limit) end(tooLong(limit));
        });
        message.on('end', () =>
          end(message.complete ? undefined : `its body ends after ${size} bytes`),
        );
        message.on('error', () => end(`its body ends after ${size} bytes`));
      });
      request.end(body);
    });
  }
}

function redirectOf({call, response}: Exchange): URL | undefined {
  const location = response?.headers['location'];
  if (response === undefined || location === undefined) return undefined;
  const keepsMethod = call.method === 'GET' || call.method === 'HEAD';
  if (!(keepsMethod ? [301, 302, 307, 308] : [307, 308]).includes(response.status))
    return undefined;
  if (!URL.canParse(location, call.url.href)) return undefined;
  const url = new URL(location, call.url);
  return url.origin === call.url.origin ? url : undefined;
}

const decoders: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

const tooLong = (limit: number) => `its body is longer than ${limit / 1024 / 1024} MiB`;

function responseOf(
  message: IncomingMessage,
  sent: Buffer,
  known: Pick<ProbeResponse, 'defect' | 'receivedAt' | 'sentAt'> & {readonly limit: number},
): ProbeResponse {
  const {limit, defect, ...times} = known;
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const decode = decoders[headers['content-encoding']?.toLowerCase() ?? ''];
  let body = sent;
  let fault = defect;
  if (fault === undefined && decode !== undefined && sent.length > 0) {
    try {
      body = decode(sent, {maxOutputLength: limit});
    } catch (error) {
      const isLong = errorCode(error) === 'ERR_BUFFER_TOO_LARGE';
      fault = isLong ? tooLong(limit) : 'its body cannot be decompressed';
    }
  }
  return {status: message.statusCode ?? 0, headers, body, isCut: false, defect: fault, ...times};
}

function failureText(error: Error): string {
  const code = errorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW')
    return `its headers are longer than ${maxHeaderSize / 1024} KiB`;
  if (code?.startsWith('HPE_')) return 'the response is not valid HTTP';
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return 'the connection was closed before a response';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  return error.message;
}
