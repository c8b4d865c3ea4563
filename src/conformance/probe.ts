import {type IncomingMessage, maxHeaderSize} from 'node:http';
import got, {type Agents, type Request} from 'got';
import {longestBody, singleHeaders} from '../client/messages.js';
import {errorCode} from '../system/system-error.js';
import {type Call, type Exchange, longestJson, type ProbeResponse} from './exchange.js';

/** Time-outs of one operation in a row after which it is not tried again. */
const mostTimeouts = 2;

/** Same-origin redirects of one request that are followed. */
const mostRedirects = 3;

const mebibyte = 1024 * 1024;

/** How requests are sent. */
interface ProbeOptions {
  /** Milliseconds from the start of a request to the last byte of its response. */
  readonly timeout: number;
  /** For requests through a proxy. */
  readonly agent?: Agents | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Thrown when no connection to the service can be established. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  /** Code of the system's error, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Sends requests that show responses as they come: no retry, no connection kept open, and limits for time and size,
 * so that a slow or hostile service can neither hang the suite nor fill its memory.
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
    const exchange = await attempt(call, this.#options);
    const timedOut = /\btimed out\b/.test(exchange.failure ?? exchange.response?.defect ?? '');
    this.#timeouts.set(key, timedOut ? (this.#timeouts.get(key) ?? 0) + 1 : 0);
    return exchange;
  }
}

/** One attempt, with what came of its response until it ended, broke off or took too long. */
async function attempt(call: Call, {timeout, agent, signal}: ProbeOptions): Promise<Exchange> {
  signal?.throwIfAborted();
  const stream = open(call, agent);
  let response: IncomingMessage | undefined;
  let receivedAt = 0;
  stream.once('response', (message: IncomingMessage) => {
    response = message;
    receivedAt = Date.now();
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.destroy();
  }, timeout);
  const stop = () => stream.destroy();
  signal?.addEventListener('abort', stop, {once: true});
  const {body, size, error} = await read(stream, longestBody(call.operation) * mebibyte);
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
  const late = isLate ? `timed out after ${timeout / 1000} s` : undefined;
  const sent = {...call, url: stream.requestUrl ?? call.url};
  if (response !== undefined) {
    const defect = late ?? defectOf(error, size, longestBody(call.operation));
    const status = response.statusCode ?? 0;
    const headers = singleHeaders(response.headers);
    const shown: ProbeResponse = {status, headers, body, isCut: false, defect, receivedAt};
    return {call: sent, response: shown, failure: undefined};
  }
  const failure = late ?? failureText(error);
  if (!isConnected(stream, call.url)) throw new Unreachable(failure, errorCode(error));
  return {call: sent, response: undefined, failure};
}

function open(call: Call, agent: Agents | undefined): Request {
  const {url, method, headers, body} = call;
  let redirects = 0;
  const stream = got.stream(url, {
    method: method as 'GET',
    headers,
    ...(body !== undefined && {body}),
    agent: agent ?? {http: false, https: false},
    throwHttpErrors: false,
    retry: {limit: 0},
    methodRewriting: false,
    followRedirect: (response) => {
      redirects += 1;
      return redirects <= mostRedirects && mayFollow(call, response);
    },
  });
  // got waits for the body of these methods unless the stream ends.
  if (body === undefined && ['POST', 'PUT', 'PATCH'].includes(method)) stream.end();
  return stream;
}

function mayFollow(
  {method, url}: Call,
  {statusCode = 0, headers: {location}}: Pick<IncomingMessage, 'headers' | 'statusCode'>,
): boolean {
  const keepsMethod = method === 'GET' || method === 'HEAD';
  if (!(keepsMethod ? [301, 302, 307, 308] : [307, 308]).includes(statusCode)) return false;
  if (location === undefined || !URL.canParse(location, url.href)) return false;
  return new URL(location, url).origin === url.origin;
}

/** What came of a body, whose beginning is enough where it is too long, and how it ended. */
interface Received {
  readonly body: Buffer;
  readonly size: number;
  readonly error: unknown;
}

function read(stream: Request, most: number): Promise<Received> {
  const parts: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const end = (error?: unknown) => {
      resolve({body: Buffer.concat(parts, size > most ? longestJson : size), size, error});
      stream.destroy();
    };
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > most) end();
    });
    stream.once('end', () => end());
    stream.on('error', end);
    stream.once('close', () => end(new Error('the connection closed without a response')));
  });
}

/** What is wrong with a body. */
function defectOf(error: unknown, size: number, longest: number): string | undefined {
  if (size > longest * mebibyte) return `its body is longer than ${longest} MiB`;
  if (error === undefined) return undefined;
  return /^Z_|BROTLI|PADDING|FORMAT/.test(errorCode(error) ?? '')
    ? 'its body cannot be decompressed'
    : `its body ends after ${size} bytes`;
}

/** Whether a connection was established, over TLS where the service asks for it. */
function isConnected({timings}: Request, {protocol}: URL): boolean {
  return timings?.[protocol === 'https:' ? 'secureConnect' : 'connect'] !== undefined;
}

/** Failures by the codes of their errors; others have a message for people. */
const failures: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `its headers are longer than ${maxHeaderSize / 1024} KiB`,
  ECONNRESET: 'the connection was closed before a response',
  EPIPE: 'the connection was closed before a response',
  ECONNREFUSED: 'the connection was refused',
};

function failureText(error: unknown): string {
  const code = errorCode(error) ?? '';
  if (code.startsWith('HPE_') && !(code in failures)) return 'the response is not valid HTTP';
  return failures[code] ?? (error instanceof Error ? error.message : 'no response');
}
