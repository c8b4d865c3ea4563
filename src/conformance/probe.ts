import {type IncomingMessage, maxHeaderSize} from 'node:http';
import type {Agents} from 'got';
import {exchange, noAgents} from '../client/http/wire.js';
import {longestBody, singleHeaders} from '../client/messages.js';
import {errorCode} from '../system/system-error.js';
import type {Call, Exchange, ProbeResponse} from './exchange.js';

/** Time-outs of one operation in a row after which it is not tried again. */
const mostTimeouts = 2;

/** Options for sending requests. */
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

/** One attempt, with the received part of its response. */
async function attempt(call: Call, {timeout, agent, signal}: ProbeOptions): Promise<Exchange> {
  signal?.throwIfAborted();
  const longest = longestBody(call.operation);
  let url = call.url;
  let receivedAt = 0;
  const {response, body, isTooLong, isLate, timings, error} = await exchange({
    ...call,
    agent: agent ?? noAgents,
    timeout,
    signal,
    longest,
    mayFollow: (redirect) => mayFollow(call, redirect),
    onRedirect: (options) => {
      url = new URL(options.url ?? url);
    },
    onResponse: () => {
      receivedAt = Date.now();
    },
  });
  signal?.throwIfAborted();
  const late = isLate ? `timed out after ${timeout / 1000} s` : undefined;
  if (response === undefined) {
    const failure = late ?? failureText(error);
    // Over TLS where the address asks for it.
    const connected = timings?.[call.url.protocol === 'https:' ? 'secureConnect' : 'connect'];
    if (connected === undefined) throw new Unreachable(failure, errorCode(error));
    return {call: {...call, url}, response, failure};
  }
  const long = isTooLong ? `its body is longer than ${longest} MiB` : undefined;
  const shown: ProbeResponse = {
    status: response.statusCode,
    headers: singleHeaders(response.headers),
    body,
    isCut: false,
    defect: late ?? long ?? defectOf(error, body.length),
    receivedAt,
  };
  return {call: {...call, url}, response: shown, failure: undefined};
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

/** The defect of a body. */
function defectOf(error: unknown, size: number): string | undefined {
  if (error === undefined) return undefined;
  return /^Z_|BROTLI|PADDING|FORMAT/.test(errorCode(error) ?? '')
    ? 'its body cannot be decompressed'
    : `its body ends after ${size} bytes`;
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
