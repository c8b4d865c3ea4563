import type {IncomingMessage} from 'node:http';
import type {Socket} from 'node:net';
import type {TLSSocket} from 'node:tls';
import got, {type Agents, type Request, type Response} from 'got';
import type {Received, ServiceResponse} from '../messages.js';

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
  /** Maximum size of a body, in MiB. */
  readonly longest: number;
  readonly mayFollow: (redirect: IncomingMessage) => boolean;
  /** Called before the request is sent, to watch it. */
  readonly onStart?: (stream: Request) => void;
}

/** The agents of a request that uses no earlier connection, and keeps none open. */
export const noAgents: Agents = {http: false, https: false};

const mebibyte = 1024 * 1024;

/** Sends a request once. It listens to events, because an asynchronous iterator costs a short run a millisecond. */
export async function exchange(request: WireRequest): Promise<Received> {
  const {url, timeout, longest} = request;
  const stream = open(request);
  const parts: Buffer[] = [];
  let size = 0;
  let response: Response | undefined;
  let connection: Received['connection'];
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.destroy();
  }, timeout);
  const error = await new Promise<unknown>((end) => {
    stream.once('response', (head: Response) => {
      response = head;
      connection = stream.socket && connectionOf(stream.socket);
    });
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      const before = size;
      size += part.length;
      if (size > longest * mebibyte) end(undefined);
      else if (Math.floor(size / mebibyte) > Math.floor(before / mebibyte)) timer.refresh();
    });
    stream.once('end', () => end(undefined));
    // This listener stays: a later error without one would end the process.
    stream.on('error', end);
    stream.once('close', () => end(new Error('the connection closed without a response')));
  });
  clearTimeout(timer);
  stream.destroy();
  const isTooLong = size > longest * mebibyte;
  // Only the beginning of a body that is too long is kept.
  const body = Buffer.concat(parts, isTooLong ? mebibyte : size);
  const addresses = [url, ...stream.redirectUrls];
  const last = addresses.at(-1) ?? url;
  return {
    url: last,
    isElsewhere: addresses.some(({origin}) => origin !== url.origin),
    isSent: stream.timings?.connect !== undefined || addresses.length > 1,
    response: response && {...headOf(response, last), body, isTooLong},
    connection,
    isReused: stream.reusedSocket ?? false,
    isLate,
    error,
  };
}

function open({method, url, headers, keyHeader, body, agent, ...request}: WireRequest): Request {
  const stream = got.stream(url, {
    method: method as 'GET',
    headers,
    ...(body === undefined ? {} : {body}),
    ...(agent && {agent}),
    ...(request.signal && {signal: request.signal}),
    throwHttpErrors: false,
    // To repeat a stream, got would read the whole error response, of any length, into memory.
    retry: {limit: 0},
    methodRewriting: false,
    maxRedirects: 5,
    followRedirect: request.mayFollow,
    hooks: {
      beforeRedirect: [
        (next) => {
          // got removes only `Authorization`, and not for every other origin.
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

function connectionOf(socket: Socket): Received['connection'] {
  const {remoteAddress = 'unknown', remotePort, remoteFamily} = socket;
  const host = remoteFamily === 'IPv6' ? `[${remoteAddress}]` : remoteAddress;
  const end =
    'getPeerCertificate' in socket
      ? new Date((socket as TLSSocket).getPeerCertificate().valid_to)
      : undefined;
  return {address: `${host}:${remotePort}`, certificateEnd: end};
}

/** @param url the address that sent the response */
function headOf(response: Response, url: URL) {
  const headers: ServiceResponse['headers'] = Object.fromEntries(
    // Repeated headers are joined, as RFC 9110 §5.3 allows.
    Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const date = new Date(headers['date'] ?? Number.NaN);
  const serverTime = Number.isNaN(date.getTime()) ? undefined : date;
  return {status: response.statusCode, headers, url, serverTime};
}
