import type {ClientRequest, IncomingMessage} from 'node:http';
import type {Socket} from 'node:net';
import type {TLSSocket} from 'node:tls';
import {headers as headerNames} from '../../contract/headers.js';
import {type CallContext, errorMessage} from '../context.js';
import {type AttemptProgress, networkError, timeoutError} from '../errors/network.js';
import {
  AttemptError,
  isSuccess,
  longestBody,
  type ResponseHead,
  type ServiceResponse,
  singleHeaders,
} from '../messages.js';
import type {ProxyRoute} from '../proxy.js';
import {clientError} from '../reasons.js';
import type {Settings} from '../settings.js';
import type {ConnectionReading} from '../types.js';
import type {Trace} from './trace.js';
import {exchange, noAgents, type Received} from './wire.js';

/** The request that each attempt sends. */
interface ServiceRequest {
  readonly context: CallContext;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; undefined sends no body at all. */
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly proxy: ProxyRoute | undefined;
  /** Whether it may take the connection of an earlier request, and leave its own to the next one. */
  readonly keepsConnection: boolean;
  /** Called when the connection of an earlier request is closed before there is a response. */
  readonly onKeptConnectionLost: () => void;
}

/** Sent with each request. */
const commonHeaders = {'user-agent': 'connectorctl', accept: 'application/json'} as const;

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
  const {context, method, url, headers, body, signal, proxy, keepsConnection} = request;
  const {credential, timeout} = settings;
  if (signal?.aborted) throw canceled(context, false);
  /** The current address: the request's own, or the target of a redirect. */
  let at = url;
  // The next page of a list may be at another origin from the start.
  let keyWithheld = credential !== undefined && settings.base.origin !== url.origin;
  let sent: ClientRequest | undefined;
  if (proxy) trace?.note(`through the proxy ${proxy.address}`);
  trace?.start();
  const received = await exchange({
    method,
    url,
    headers: {...commonHeaders, ...headers},
    body,
    agent: proxy?.agent ?? (keepsConnection ? undefined : noAgents),
    timeout,
    signal,
    longest: longestBody(context.operation),
    mayFollow: (response) => mayFollow(method, url, response),
    onRedirect: (options, response) => {
      trace?.response(response.statusCode, response.headers);
      at = new URL(options.url ?? url);
      if (at.origin === url.origin) return;
      // got removes only `Authorization`, and not for every other origin.
      delete options.headers[headerNames.authorization];
      if (credential) delete options.headers[credential.header];
      keyWithheld = credential !== undefined;
    },
    onRequest: (current) => {
      sent = current;
      trace?.request(current, at, body);
    },
    onResponse: (response) => {
      trace?.response(response.statusCode, response.headers);
      const {socket} = sent ?? {};
      if (socket) settings.onConnection?.(connectionOf(socket, proxy?.address));
    },
  });
  const head = received.response && responseHead(received.response, at, keyWithheld);
  // The status of an error says more than its truncated body.
  if (head && (received.error === undefined || !isSuccess(head))) {
    trace?.responseBody(received.body);
    return {...head, body: received.body, isTooLong: received.isTooLong};
  }
  if (!head && sent?.reusedSocket) request.onKeptConnectionLost();
  const failure = failureOf(request, received, {at, timeout});
  trace?.failure(failure.message);
  throw failure;
}

/** The error of the attempt: canceled by the caller, timed out, or broken. */
function failureOf(
  {context, signal, url, proxy}: ServiceRequest,
  {response, timings, isLate, error}: Received,
  {at, timeout}: {readonly at: URL; readonly timeout: number},
): AttemptError {
  // Once there is a connection, a part of the request may have been sent.
  const isSent = timings?.connect !== undefined || at !== url;
  const progress: AttemptProgress['progress'] = response
    ? 'reading'
    : isSent
      ? 'waiting'
      : 'connecting';
  if (signal?.aborted) return canceled(context, progress !== 'connecting');
  const point = {url: at, progress, proxy};
  return isLate ? timeoutError(context, timeout, point) : networkError(context, error, point);
}

function canceled(context: CallContext, outcomeUnknown: boolean): AttemptError {
  const message = errorMessage(context, 'canceled');
  return new AttemptError(
    clientError('cancelled', message, 'cancelled', {outcomeUnknown}),
    'permanent',
  );
}

/**
 * Whether to follow a redirect. A GET may go to any origin, but another one does not get the key. A POST
 * stays a POST to the same origin: its body may hold an activation token for this service alone. So a
 * 303, which would turn it into a GET, is not followed.
 */
export function mayFollow(
  method: string,
  from: URL,
  response: Pick<IncomingMessage, 'headers' | 'statusCode'>,
): boolean {
  const {location} = response.headers;
  if (location === undefined || !URL.canParse(location, from.href)) return false;
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return false;
  return method === 'GET' || (response.statusCode !== 303 && to.origin === from.origin);
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
