import type {Socket} from 'node:net';
import type {TLSSocket} from 'node:tls';
import got, {type OptionsInit, type Request, type Response} from 'got';
import type {Operation} from '../../contract/endpoints.js';
import {hasCode} from '../../system/system-error.js';
import {longestBody, type ServiceResponse} from '../messages.js';
import {type ProxyRoute, proxyFor} from '../proxy.js';
import {validDate} from '../times.js';
import type {ConnectionReading} from '../types.js';
import type {ClientAgents} from './agents.js';

/** A request, and the limits of its response. */
interface WireRequest extends Pick<OptionsInit, 'body' | 'followRedirect' | 'headers' | 'signal'> {
  readonly method: string;
  readonly url: URL;
  readonly agents: ClientAgents;
  /** The name of a header, in lower case, that is sent only to the origin of `url`. */
  readonly keyHeader?: string | undefined;
  /** Time limit in milliseconds, which starts again with each mebibyte of the response. */
  readonly timeout: number;
  /** Determines the maximum size of the response. */
  readonly operation?: Operation | undefined;
  /** Called before the request is sent, to watch it. */
  readonly onStart?: (stream: Request) => void;
}

/** The parts of a response that arrived before it ended, broke off, or exceeded a limit of size or time. */
export interface Received {
  /** The last address, after redirects. */
  readonly url: URL;
  readonly proxy: ProxyRoute | undefined;
  /** Whether there was a connection to the host of `url`; a connection to a proxy does not count. */
  readonly isConnected: boolean;
  /** Whether a part of the request may have been sent, to `url` or before a redirect. */
  readonly isSent: boolean;
  readonly response: ServiceResponse | undefined;
  /** The error, time-out or abort that ended the request before the whole response arrived; else undefined. */
  readonly error: unknown;
}

const mebibyte = 1024 * 1024;

/**
 * Sends a request once, and follows redirects. If no address of the host was reached, nothing was sent, so it connects
 * again with more time for each address. It uses events: an asynchronous iterator would cost a short run a millisecond.
 *
 * @param deadline the end of `timeout`, by `performance.now()`
 */
export async function exchange(
  wire: WireRequest,
  deadline = performance.now() + wire.timeout,
): Promise<Received> {
  const {timeout, operation, ...request} = wire;
  const {patience} = request.agents;
  const {round} = patience;
  const longest = longestBody(operation) * mebibyte;
  const stream = open(request);
  const parts: Buffer[] = [];
  let size = 0;
  let head: ReturnType<typeof headOf> | undefined;
  const timer = setTimeout(() => {
    const within = `within ${timeout / 1000} s`;
    stream.destroy(Object.assign(new Error(within), {code: 'TIMED_OUT'}));
  }, deadline - performance.now());
  const error = await new Promise<unknown>((end) => {
    stream.once('response', (response: Response) => {
      head = headOf(response, stream);
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
  const isConnected = head !== undefined || stream.timings?.connect !== undefined;
  const isEnded = hasCode(error, 'TIMED_OUT', 'ERR_ABORTED');
  if (!isConnected && !isEnded && patience.round > round) return exchange(wire, deadline);
  const url = stream.redirectUrls.at(-1) ?? request.url;
  const proxy = proxyFor(url);
  const isTooLong = size > longest;
  // The rest of a body that is too long is not needed; copying it would double the memory.
  const body = Buffer.concat(parts, isTooLong ? mebibyte + 1 : size);
  const connection = head?.connection && {...head.connection, proxy: proxy?.url.origin};
  const response = head && {...head, connection, url, body, isTooLong};
  return {url, proxy, isConnected, isSent: isConnected || url !== request.url, response, error};
}

type Opening = Omit<WireRequest, 'operation' | 'timeout'>;

function open({method, url, agents, keyHeader = '', onStart, ...options}: Opening): Request {
  const stream = got.stream(url, {
    ...options,
    agent: agents.for(url),
    method: method as 'GET',
    methodRewriting: false,
    throwHttpErrors: false,
    // `Transport` retries.
    retry: {limit: 0},
    hooks: {
      beforeRedirect: [
        // got removes only standard credentials, and nothing at all if only the scheme changes.
        (redirect) => {
          const next = new URL(redirect.url ?? url);
          if (next.origin !== url.origin) delete redirect.headers[keyHeader];
          redirect.agent = agents.for(next);
        },
      ],
    },
  });
  onStart?.(stream);
  // got waits for the body of these methods unless the stream ends.
  if (options.body === undefined && ['POST', 'PUT', 'PATCH'].includes(method)) stream.end();
  return stream;
}

function headOf(response: Response, {socket}: Request) {
  const headers: ServiceResponse['headers'] = Object.fromEntries(
    // Only `Set-Cookie` is an array: Node.js has joined other repeated headers (RFC 9110 §5.3), or dropped them.
    Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const {date = Number.NaN, age = ''} = headers;
  const inCache = /^\d{1,9}$/.test(age) ? Number(age) * 1000 : 0;
  const serverTime = validDate(new Date(date).getTime() + inCache);
  return {
    status: response.statusCode,
    headers,
    serverTime,
    connection: socket && connectionOf(socket),
  };
}

/** The other end of an open connection, and its certificate. */
function connectionOf(socket: Socket): Omit<ConnectionReading, 'proxy'> {
  const {remoteAddress = 'unknown', remotePort, remoteFamily} = socket;
  const host = remoteFamily === 'IPv6' ? `[${remoteAddress}]` : remoteAddress;
  const end =
    'getPeerCertificate' in socket
      ? new Date((socket as TLSSocket).getPeerCertificate().valid_to)
      : undefined;
  return {address: `${host}:${remotePort}`, certificateEnd: end};
}
