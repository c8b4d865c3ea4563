import type {IncomingMessage} from 'node:http';
import {endpoints, fillPath, type Operation} from '../../contract/endpoints.js';
import {headers as headerNames} from '../../contract/headers.js';
import {keyAccesses} from '../../contract/limits.js';
import {type Clock, systemClock} from '../../system/clock.js';
import type {CallContext} from '../context.js';
import {readServiceError} from '../errors/error-shapes.js';
import {networkError} from '../errors/network.js';
import {serviceError} from '../errors/service.js';
import {readIsoTime} from '../fields.js';
import {
  ClientError,
  isSuccess,
  longestBody,
  type Received,
  type ServiceResponse,
} from '../messages.js';
import {type ProxyRoute, proxyFor} from '../proxy.js';
import {redactor} from '../redact.js';
import type {Settings} from '../settings.js';
import type {ServiceFacts} from '../types.js';
import {exchange, noAgents} from './exchange.js';
import {withRetries} from './retry.js';
import {Trace} from './trace.js';

/** Sent with each request. */
const commonHeaders = {'user-agent': 'connectorctl', accept: 'application/json'} as const;

/** One call of an operation, with all its attempts. */
export interface Call {
  readonly operation: Operation;
  /** The id of the connector. */
  readonly id?: string;
  /** Secrets of this call besides the API key: no text may show them. */
  readonly secrets?: readonly string[];
  /** Default: the address of the operation. */
  readonly url?: URL;
  /** JSON text; undefined sends no body. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Default: the number in the settings. */
  readonly retries?: number;
}

/** Sends calls to one service. */
export class Transport {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** Proxies by origin: each keeps its own connections. */
  readonly #proxies = new Map<string, Promise<ProxyRoute | undefined>>();
  /** False after the loss of a kept connection: such a service (RFC 9112 §9.6) closes each of them without notice. */
  #keepsConnections = true;

  constructor(settings: Settings, clock: Clock = systemClock, random: () => number = Math.random) {
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
  }

  context({operation, id, secrets = []}: Call): CallContext {
    const {base, apiKey} = this.#settings;
    const redact = redactor([apiKey, ...secrets]);
    return {operation, connectorId: id, base, hasKey: apiKey !== undefined, redact};
  }

  /**
   * The address of an operation under the base URL, including its path prefix.
   *
   * @throws AppError of kind `usage` for an id that no path can hold.
   */
  url(operation: Operation, id?: string): URL {
    if (id !== undefined) checkId(id);
    const path = fillPath(endpoints[operation].path, id === undefined ? {} : {id});
    return new URL(this.#settings.base.href.replace(/\/$/, '') + path);
  }

  /**
   * Makes the call, with retries where they are safe.
   *
   * @param read reads a response with a status of 2xx; what it throws is a failed attempt
   * @throws AppError
   */
  async send<T>(
    call: Call,
    read: (response: ServiceResponse, context: CallContext) => T,
  ): Promise<T> {
    const {url = this.url(call.operation, call.id), signal} = call;
    const {retries = this.#settings.retries} = call;
    const write = this.#settings.trace;
    const context = this.context(call);
    const trace = write && new Trace(write, context.redact);
    const rules = {retries, clock: this.#clock, random: this.#random, signal, trace};
    return withRetries(context, rules, async () => {
      const response = await this.#attempt({...call, url}, context, trace);
      if (isSuccess(response)) return read(response, context);
      throw serviceError(context, response, readServiceError(response));
    });
  }

  /**
   * Sends the request once.
   *
   * @returns the response, whatever its status
   * @throws ClientError when there is no response, or a success is incomplete
   */
  async #attempt(
    {operation, url, body, headers, signal}: Call & {readonly url: URL},
    context: CallContext,
    trace: Trace | undefined,
  ): Promise<ServiceResponse> {
    const {base, credential, timeout, onResponse} = this.#settings;
    const {method} = endpoints[operation];
    const proxy = await this.#proxyFor(url);
    if (proxy) trace?.note(`through the proxy ${proxy.address}`);
    // The API key goes only to the origin of the base URL.
    const key = credential && url.origin === base.origin ? credential : undefined;
    const received = await exchange({
      method,
      url,
      headers: {
        ...commonHeaders,
        ...(key && {[key.header]: key.value}),
        ...(body !== undefined && {'content-type': 'application/json'}),
        ...headers,
      },
      keyHeader: key?.header,
      body,
      agent: proxy?.agent ?? (this.#keepsConnections ? undefined : noAgents),
      timeout,
      signal,
      longest: longestBody(operation),
      mayFollow: (redirect) => mayFollow(method, url, redirect),
      onStart: (stream) => trace?.follow(stream, body),
    });
    const keyWithheld = credential !== undefined && (!key || received.isElsewhere);
    const response = received.response && {...received.response, keyWithheld};
    if (response) onResponse?.(factsOf(response, received.connection, proxy));
    // The status of an error says more than its truncated body.
    if (response && (received.error === undefined || !isSuccess(response))) {
      trace?.responseBody(response.body);
      return response;
    }
    if (received.isReused && !response) this.#keepsConnections = false;
    const failure = networkError(context, received, {timeout, signal, proxy});
    trace?.failure(failure.message);
    throw failure;
  }

  #proxyFor(url: URL): Promise<ProxyRoute | undefined> {
    const known = this.#proxies.get(url.origin) ?? proxyFor(url, this.#settings.timeout);
    this.#proxies.set(url.origin, known);
    return known;
  }
}

/**
 * Whether to follow a redirect. A GET may go to any origin, but another one does not get the key. A POST
 * stays a POST to the same origin: its body may hold an activation token for this service alone. So a
 * 303, which would turn it into a GET, is not followed.
 */
export function mayFollow(
  method: string,
  from: URL,
  {headers: {location}, statusCode}: Pick<IncomingMessage, 'headers' | 'statusCode'>,
): boolean {
  if (location === undefined || !URL.canParse(location, from.href)) return false;
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return false;
  return method === 'GET' || (statusCode !== 303 && to.origin === from.origin);
}

/** The facts about the service that a response shows. */
function factsOf(
  response: ServiceResponse,
  connection: Received['connection'],
  proxy: ProxyRoute | undefined,
): ServiceFacts {
  const {headers, serverTime, keyWithheld} = response;
  const expiry = headers[headerNames.keyExpires] ?? headers[headerNames.tokenExpiration];
  const key = {
    access: keyAccesses.find((access) => access === headers[headerNames.keyAccess]),
    // Anything but a time is ignored.
    expiresAt: readIsoTime(expiry?.replace(/ ?UTC$/, 'Z') ?? null),
    createdAt: readIsoTime(headers[headerNames.keyCreated] ?? null),
  };
  return {
    isSandbox: headers[headerNames.sandbox] !== undefined,
    serverTime,
    key: keyWithheld ? undefined : key,
    connection: connection && {...connection, proxy: proxy?.address},
  };
}

/** An id of dots alone would be resolved away as a path segment; see `fillPath`. */
function checkId(id: string): void {
  if (id !== '' && !/^\.{1,2}$/.test(id) && !/[\ud800-\udfff]/u.test(id)) return;
  const message =
    id === '' ? 'The id of the connector is empty' : 'No URL can hold this connector id';
  throw new ClientError('usage', message, 'connector-id-invalid');
}
