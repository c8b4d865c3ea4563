import {endpoints, fillPath, type Operation} from '../../contract/endpoints.js';
import {headers} from '../../contract/headers.js';
import {type Clock, systemClock} from '../../system/clock.js';
import type {CallContext} from '../context.js';
import {serviceError} from '../errors/service.js';
import type {ServiceResponse} from '../messages.js';
import {type ProxyRoute, proxyFor} from '../proxy.js';
import {clientError} from '../reasons.js';
import {redactor} from '../redact.js';
import type {Settings} from '../settings.js';
import {attempt} from './attempt.js';
import {isCrossOrigin} from './redirects.js';
import {withRetries} from './retry.js';
import {Trace} from './trace.js';

/** One call of an operation, with all its attempts. */
export interface Call {
  readonly context: CallContext;
  readonly url: URL;
  /** JSON text; undefined sends no body. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Instead of the number in the settings. */
  readonly retries?: number;
}

/** Sends calls to one service. */
export class Transport {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** By origin: each keeps its own connections. */
  readonly #proxies = new Map<string, Promise<ProxyRoute | undefined>>();
  /** Not after one was lost: a service that closes them without saying so (RFC 9112 §9.6) does it each time. */
  #keepsConnections = true;

  constructor(settings: Settings, clock: Clock = systemClock, random: () => number = Math.random) {
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
  }

  /** @param secrets of this call, apart from the API key: no text may show them */
  context(
    operation: Operation,
    connectorId?: string,
    secrets: readonly string[] = [],
  ): CallContext {
    const {base, apiKey} = this.#settings;
    const redact = redactor([apiKey, ...secrets]);
    return {operation, connectorId, base, hasKey: apiKey !== undefined, redact};
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
   * @returns a response with a status of 2xx
   * @throws AppError
   */
  async send(call: Call): Promise<ServiceResponse> {
    const {context, url, body, signal} = call;
    const {trace: write, isTraceBrief, onSandbox} = this.#settings;
    const retries = call.retries ?? this.#settings.retries;
    const request = {
      context,
      method: endpoints[context.operation].method,
      url,
      headers: {...this.#keyFor(url), ...call.headers},
      body,
      signal,
      proxy: await this.#proxyFor(url),
      onKeptConnectionLost: () => {
        this.#keepsConnections = false;
      },
    };
    const trace = write && new Trace(write, context.redact, isTraceBrief);
    const rules = {retries, clock: this.#clock, random: this.#random, signal, trace};
    return withRetries(context, rules, async () => {
      const keepsConnection = this.#keepsConnections;
      const response = await attempt({...request, keepsConnection}, this.#settings, trace);
      if (response.headers[headers.sandbox] !== undefined) onSandbox?.();
      if (response.status >= 200 && response.status < 300) return response;
      response.rest?.close();
      throw serviceError(context, response, response.start.toString());
    });
  }

  #proxyFor(url: URL): Promise<ProxyRoute | undefined> {
    const known = this.#proxies.get(url.origin) ?? proxyFor(url, this.#settings.timeout);
    this.#proxies.set(url.origin, known);
    return known;
  }

  /** The API key goes only to the origin of the base URL. */
  #keyFor(url: URL): Record<string, string> {
    const {base, credential} = this.#settings;
    if (!credential || isCrossOrigin(base, url)) return {};
    return {[credential.header]: credential.value};
  }
}

/** An id of dots alone would be resolved away as a path segment; see `fillPath`. */
function checkId(id: string): void {
  const invalid = (message: string) => clientError('usage', message, 'connector-id-invalid');
  if (id === '') throw invalid('The id of the connector is empty');
  if (/^\.{1,2}$/.test(id) || /[\ud800-\udfff]/u.test(id)) {
    throw invalid('No URL can hold this connector id');
  }
}
