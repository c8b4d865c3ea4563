import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  maxHeaderSize,
  request as requestHttp,
} from 'node:http';
import {request as requestHttps} from 'node:https';
import type {Socket} from 'node:net';
import {brotliDecompressSync, gunzipSync, inflateSync} from 'node:zlib';
import {singleHeaders} from '../client/messages.js';
import {errorCode} from '../system/error-codes.js';
import {type Call, type Exchange, longestJson, type ProbeResponse} from './exchange.js';

/** Largest body that is read, in bytes: of a list, and of any other response. */
export const bodyLimits = {list: 64 * 1024 * 1024, other: longestJson} as const;

/** How a request is sent. */
export interface AttemptOptions {
  /** Milliseconds from the start of a request to the last byte of its response. */
  readonly timeout: number;
  /** For requests through a proxy. */
  readonly agent?: {readonly http?: unknown; readonly https?: unknown} | undefined;
  readonly signal?: AbortSignal | undefined;
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

/** What the caller of an attempt waits for. */
interface Settle {
  readonly resolve: (exchange: Exchange) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends a request once, over a new connection.
 *
 * @throws Unreachable when no connection can be established
 */
export function attempt(call: Call, options: AttemptOptions): Promise<Exchange> {
  return new Promise((resolve, reject) => new Attempt(call, options, {resolve, reject}));
}

/** A request, and what has come of its response. */
class Attempt {
  readonly #call: Call;
  readonly #settle: Settle;
  readonly #limit: number;
  readonly #request: ClientRequest;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #head: {readonly message: IncomingMessage; readonly receivedAt: number} | undefined;
  #isConnected = false;
  #isOver = false;

  constructor(call: Call, {timeout, agent, signal}: AttemptOptions, settle: Settle) {
    this.#call = call;
    this.#settle = settle;
    this.#limit = call.operation === 'list' ? bodyLimits.list : bodyLimits.other;
    this.#request = requestOf(call, {agent, signal})
      .on('socket', (socket) => this.#watch(socket))
      .on('error', (error) => {
        if (signal?.aborted) this.#abort(signal.reason);
        else if (this.#head === undefined) this.#end(failureText(error), errorCode(error));
      })
      .on('close', () => this.#end('the connection closed without a response'))
      .on('response', (message) => this.#receive(message));
    this.#timer = setTimeout(() => this.#end(`timed out after ${timeout / 1000} s`), timeout);
    this.#request.end(call.body);
  }

  #watch(socket: Socket): void {
    this.#isConnected = !socket.connecting;
    socket.once(this.#call.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      this.#isConnected = true;
    });
  }

  #receive(message: IncomingMessage): void {
    this.#head = {message, receivedAt: Date.now()};
    const endEarly = () => this.#end(`its body ends after ${this.#size} bytes`);
    message.on('data', (chunk: Buffer) => {
      this.#size += chunk.length;
      this.#chunks.push(chunk);
      if (this.#size > this.#limit) this.#end(tooLong(this.#limit));
    });
    message.on('end', () => (message.complete ? this.#end() : endEarly()));
    message.on('error', endEarly);
  }

  /** @param defect why it ended; undefined when the response is whole */
  #end(defect?: string, code?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#request.destroy();
    const call = this.#call;
    if (this.#head !== undefined) {
      const {message, receivedAt} = this.#head;
      const limit = this.#limit;
      // Nothing reads more than the start of a body that is too long.
      const body = Buffer.concat(this.#chunks, this.#size > limit ? longestJson : this.#size);
      const known = {defect, limit, receivedAt};
      this.#settle.resolve({call, response: responseOf(message, body, known), failure: undefined});
    } else if (this.#isConnected) {
      this.#settle.resolve({call, response: undefined, failure: defect});
    } else {
      this.#settle.reject(new Unreachable(defect ?? 'the connection closed', code));
    }
  }

  #abort(reason: unknown): void {
    clearTimeout(this.#timer);
    this.#settle.reject(reason);
  }
}

function requestOf(
  {url, method, headers, body}: Call,
  {agent, signal}: Pick<AttemptOptions, 'agent' | 'signal'>,
): ClientRequest {
  const isTls = url.protocol === 'https:';
  const send = isTls ? requestHttps : requestHttp;
  return send(url, {
    method,
    headers: {
      ...headers,
      ...(body !== undefined && {'content-length': Buffer.byteLength(body)}),
    },
    agent: ((isTls ? agent?.https : agent?.http) as Agent | undefined) ?? false,
    ...(signal && {signal}),
  });
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
  known: Pick<ProbeResponse, 'defect' | 'receivedAt'> & {readonly limit: number},
): ProbeResponse {
  const {limit, defect, receivedAt} = known;
  const headers = singleHeaders(message.headers);
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
  return {status: message.statusCode ?? 0, headers, body, isCut: false, defect: fault, receivedAt};
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
