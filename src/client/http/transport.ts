import {endpoints, fillPath, type Operation} from '../../contract/endpoints.js';
import {headers} from '../../contract/headers.js';
import {keyAccesses} from '../../contract/limits.js';
import {AppError} from '../../errors.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {type CallContext, traits} from '../context.js';
import {serviceError} from '../errors/service.js';
import {readIsoTime} from '../fields.js';
import {AttemptError, isSuccess, type ServiceResponse} from '../messages.js';
import {type ProxyRoute, proxyFor} from '../proxy.js';
import {clientError} from '../reasons.js';
import {redactor} from '../redact.js';
import type {Settings} from '../settings.js';
import type {KeyReading} from '../types.js';
import {attempt} from './attempt.js';
import {withRetries, withUnknownOutcome} from './retry.js';
import {Trace} from './trace.js';

/** One call of an operation, with all its attempts. */
export interface Call {
  readonly operation: Operation;
  /** The id of the connector. */
  readonly id?: string;
  /** Secrets of this call besides the API key: no text may show them. */
  readonly secrets?: readonly string[];
  /** Instead of the address of the operation. */
  readonly url?: URL;
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
  /** Proxies by origin: each keeps its own connections. */
  readonly #proxies = new Map<string, Promise<ProxyRoute | undefined>>();
  /** Not after one was lost: a service that closes them without saying so (RFC 9112 §9.6) does it each time. */
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
    const {operation, id, url = this.url(operation, id), body, signal} = call;
    const {trace: write, onSandbox, onServerTime, onKey} = this.#settings;
    const {retries = this.#settings.retries} = call;
    const context = this.context(call);
    const contentType = body === undefined ? {} : {'content-type': 'application/json'};
    const request = {
      context,
      method: endpoints[operation].method,
      url,
      headers: {...this.#keyFor(url), ...contentType, ...call.headers},
      body,
      signal,
      proxy: await this.#proxyFor(url),
      onKeptConnectionLost: () => {
        this.#keepsConnections = false;
      },
    };
    const trace = write && new Trace(write, context.redact);
    const rules = {retries, clock: this.#clock, random: this.#random, signal, trace};
    const once = async () => {
      const keepsConnection = this.#keepsConnections;
      const response = await attempt({...request, keepsConnection}, this.#settings, trace);
      if (response.headers[headers.sandbox] !== undefined) onSandbox?.();
      if (response.serverTime) onServerTime?.(response.serverTime);
      if (!response.keyWithheld) onKey?.(readKey(response));
      if (isSuccess(response)) return readSuccess(context, () => read(response, context));
      throw serviceError(context, response, response.body.toString());
    };
    return withRetries(context, rules, once);
  }

  #proxyFor(url: URL): Promise<ProxyRoute | undefined> {
    const known = this.#proxies.get(url.origin) ?? proxyFor(url, this.#settings.timeout);
    this.#proxies.set(url.origin, known);
    return known;
  }

  /** The API key goes only to the origin of the base URL. */
  #keyFor(url: URL): Record<string, string> {
    const {base, credential} = this.#settings;
    if (!credential || url.origin !== base.origin) return {};
    return {[credential.header]: credential.value};
  }
}

function readKey({headers: sent}: ServiceResponse): KeyReading {
  const expiry = sent[headers.keyExpires] ?? sent[headers.tokenExpiration];
  return {
    access: keyAccesses.find((access) => access === sent[headers.keyAccess]),
    // Anything but a time is ignored.
    expiresAt: readIsoTime(expiry?.replace(/ ?UTC$/, 'Z') ?? null),
    createdAt: readIsoTime(sent[headers.keyCreated] ?? null),
  };
}

/**
 * Reads a success.
 *
 * @throws AttemptError. The service did what was asked if its response cannot be read, but not if that
 *   reports an error.
 */
function readSuccess<T>({operation}: CallContext, read: () => T): T {
  try {
    return read();
  } catch (failure) {
    const {error, retryability} =
      failure instanceof AttemptError
        ? failure
        : {error: failure, retryability: 'permanent' as const};
    if (!(error instanceof AppError)) throw failure;
    if (error.kind !== 'protocol') throw new AttemptError(error, retryability);
    const {creates} = traits[operation];
    const uncertain = creates === undefined ? error : withUnknownOutcome(error, creates);
    throw new AttemptError(uncertain, retryability);
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
