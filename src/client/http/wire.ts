import type {ClientRequest, IncomingMessage} from 'node:http';
import got, {type Agents, type BeforeRedirectHook, type Request, type Response} from 'got';

/** A request on the wire, and the limits of its response. */
interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined sends no body at all. */
  readonly body?: string | undefined;
  /** Undefined keeps connections for later requests. */
  readonly agent: Agents | undefined;
  /** Milliseconds; each mebibyte of the response starts them again. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Maximum size of a body, in MiB. */
  readonly longest: number;
  readonly mayFollow: (response: Pick<IncomingMessage, 'headers' | 'statusCode'>) => boolean;
  readonly onRedirect?: BeforeRedirectHook;
  readonly onRequest?: (sent: ClientRequest) => void;
  readonly onResponse?: (response: Response) => void;
}

/** The part of a response that arrived before it ended, broke off, or exceeded a limit of size or time. */
export interface Received {
  readonly response: Response | undefined;
  readonly body: Buffer;
  readonly isTooLong: boolean;
  readonly isLate: boolean;
  /** Times of the phases of the request; undefined for those it did not reach. */
  readonly timings: Request['timings'];
  /** The error that interrupted it, also for an abort of the signal and for the time limit. */
  readonly error: unknown;
}

/** The agents of a request that takes no earlier connection, and leaves none. */
export const noAgents: Agents = {http: false, https: false};

const mebibyte = 1024 * 1024;

/**
 * Sends a request once. By events: an asynchronous iterator takes a millisecond of a short run, and so does an
 * `AbortSignal` for the time limit.
 */
export async function exchange(request: WireRequest): Promise<Received> {
  const {method, url, headers, body, agent, timeout, signal, longest, mayFollow} = request;
  const stream = got.stream(url, {
    method: method as 'GET',
    headers,
    ...(body === undefined ? {} : {body}),
    ...(agent && {agent}),
    throwHttpErrors: false,
    // To repeat a stream, got would read the whole error response, of any length, into memory.
    retry: {limit: 0},
    methodRewriting: false,
    maxRedirects: 5,
    followRedirect: mayFollow,
    hooks: {beforeRedirect: request.onRedirect ? [request.onRedirect] : []},
  });
  // got waits for the body of these methods unless the stream ends.
  if (body === undefined && ['POST', 'PUT', 'PATCH'].includes(method)) stream.end();
  const parts: Buffer[] = [];
  let size = 0;
  let response: Response | undefined;
  let isLate = false;
  const stop = () => stream.destroy();
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, timeout);
  signal?.addEventListener('abort', stop, {once: true});
  const ended = new Promise<unknown>((end) => {
    if (request.onRequest) stream.on('request', request.onRequest);
    stream.once('response', (head: Response) => {
      response = head;
      request.onResponse?.(head);
    });
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      const before = size;
      size += part.length;
      if (size > longest * mebibyte) end(undefined);
      else if (Math.floor(size / mebibyte) > Math.floor(before / mebibyte)) timer.refresh();
    });
    stream.once('end', () => end(undefined));
    // Never removed: an error without a reader must not end the process.
    stream.on('error', end);
    stream.once('close', () => end(new Error('the connection closed without a response')));
  });
  const error = await ended;
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  stop();
  const isTooLong = size > longest * mebibyte;
  // Of a body that is too long, its beginning is enough.
  const received = Buffer.concat(parts, isTooLong ? mebibyte : size);
  return {response, body: received, isTooLong, isLate, timings: stream.timings, error};
}
