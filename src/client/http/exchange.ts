import type {IncomingMessage} from 'node:http';
import got, {type Agents, type Request, type Response} from 'got';
import type {Operation} from '../../contract/endpoints.js';
import {validDate} from '../fields.js';
import {longestBody, type Received, type ServiceResponse} from '../messages.js';
import {connectionOf} from './facts.js';

/** A request, and the limits of its response. */
interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of a header, in lower case, that is sent only to the origin of `url`. */
  readonly keyHeader?: string | undefined;
  /** Undefined sends no body at all. */
  readonly body?: string | undefined;
  /** Undefined keeps connections for later requests. */
  readonly agent: Agents | undefined;
  /** Time limit in milliseconds, which starts again with each mebibyte of the response. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Decides on the maximum size of the response. */
  readonly operation?: Operation | undefined;
  readonly mayFollow: (redirect: IncomingMessage) => boolean;
  /** Called before the request is sent, to watch it. */
  readonly onStart?: (stream: Request) => void;
}

/** The agents of a request that uses no earlier connection, and keeps none open. */
export const noAgents: Agents = {http: false, https: false};

const mebibyte = 1024 * 1024;

/** Sends a request once, and follows redirects. An asynchronous iterator would cost a short run a millisecond. */
export async function exchange(request: WireRequest): Promise<Received> {
  const longest = longestBody(request.operation) * mebibyte;
  const stream = open(request);
  const parts: Buffer[] = [];
  let size = 0;
  let response: Response | undefined;
  let connection: ServiceResponse['connection'];
  const timer = setTimeout(() => {
    const within = `within ${request.timeout / 1000} s`;
    stream.destroy(Object.assign(new Error(within), {code: 'TIMED_OUT'}));
  }, request.timeout);
  const error = await new Promise<unknown>((end) => {
    stream.once('response', (head: Response) => {
      response = head;
      connection = stream.socket && connectionOf(stream.socket);
    });
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      const before = size;
      size += part.length;
      if (size > longest) end(undefined);
      else if (Math.floor(size / mebibyte) > Math.floor(before / mebibyte)) timer.refresh();
    });
    stream.once('end', () => end(undefined));
    // This listener stays: a later error without one would end the process.
    stream.on('error', end);
    stream.once('close', () => end(new Error('the connection closed without a response')));
  });
  clearTimeout(timer);
  stream.destroy();
  const body = Buffer.concat(parts, size);
  const url = stream.redirectUrls.at(-1) ?? request.url;
  return {
    url,
    isSent: stream.timings?.connect !== undefined || url !== request.url,
    response: response && {...headOf(response, url), body, isTooLong: size > longest, connection},
    error,
  };
}

function open(request: WireRequest): Request {
  const {method, url, headers, keyHeader, body, agent, signal} = request;
  const stream = got.stream(url, {
    method: method as 'GET',
    headers,
    body,
    ...(agent && {agent}),
    signal,
    throwHttpErrors: false,
    // To repeat a stream, got would read the whole error response, of any length, into memory.
    retry: {limit: 0},
    methodRewriting: false,
    followRedirect: request.mayFollow,
    hooks: {
      beforeRedirect: [
        (next) => {
          // got keeps other headers with keys, and all of them if only the scheme differs.
          const isElsewhere = new URL(next.url ?? url).origin !== url.origin;
          if (isElsewhere && keyHeader !== undefined) delete next.headers[keyHeader];
        },
      ],
    },
  });
  request.onStart?.(stream);
  // got waits for the body of these methods unless the stream ends.
  if (body === undefined && ['POST', 'PUT', 'PATCH'].includes(method)) stream.end();
  return stream;
}

/** @param url the address that sent the response */
function headOf(response: Response, url: URL) {
  const headers: ServiceResponse['headers'] = Object.fromEntries(
    // Repeated headers are joined, as RFC 9110 §5.3 allows.
    Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const serverTime = validDate(headers['date'] ?? Number.NaN);
  return {status: response.statusCode, headers, url, serverTime};
}
