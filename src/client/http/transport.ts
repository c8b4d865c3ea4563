import {setMaxListeners} from 'node:events';
import type {IncomingMessage} from 'node:http';
import {endpoints, fillPath, type Operation} from '../../contract/endpoints.js';
import {hasVirtualClock, headers as headerNames} from '../../contract/headers.js';
import {keyAccesses} from '../../contract/limits.js';
import {repeat} from '../../domain/backoff.js';
import {claimedKind} from '../../domain/secret.js';
import type {AppError} from '../../errors.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {type CallContext, traits} from '../context.js';
import {readServiceError} from '../errors/error-shapes.js';
import {networkError} from '../errors/network.js';
import {serviceError} from '../errors/service.js';
import {ClientError, isSuccess, type ServiceResponse} from '../messages.js';
import {proxyFor} from '../proxy.js';
import {plainUrl, redactor} from '../redact.js';
import type {Settings} from '../settings.js';
import {readIsoTime} from '../times.js';
import type {ServiceFacts} from '../types.js';
import {ClientAgents} from './agents.js';
import {exchange} from './exchange.js';
import {Trace} from './trace.js';

/** One call of an operation, with all its attempts. */
export interface Call {
  readonly operation: Operation;
  /** The id of the connector. */
  readonly id?: string;
  /** Secrets of this call besides the API key, which errors and the trace must not show. */
  readonly secrets?: readonly string[];
  /** Default: the address of the operation. */
  readonly url?: URL;
  /** JSON text; undefined sends no body. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Default: the number in the settings. */
  readonly retries?: number | undefined;
}

const backoff = {first: 500, longest: 8000, jitter: [1, 1.5]} as const;

/** The longest `Retry-After` to wait for, in milliseconds; with a longer one the call fails at once. */
const longestRetryAfter = 30_000;

/** Whether to make another attempt: it is safe and may succeed, and `Retry-After` is short enough. */
const isRepeatable = ({isPassing, retryAfter = 0}: ClientError) =>
  isPassing && retryAfter <= longestRetryAfter;

/** Marks the error of a call that lost a response: the connector or the token may exist. */
function withUnknownOutcome({operation}: CallContext, error: AppError): AppError {
  const {creates} = traits[operation];
  if (creates === undefined) return error;
  return error.with({outcomeUnknown: true, details: {...error.details, mayExist: creates}});
}

/** Sends calls to one service. */
export class Transport {
  readonly #settings: Settings;
  readonly clock: Clock;
  readonly #random: () => number;
  /** After a missing response, new agents keep no connections: a service may close one at any time (RFC 9112 §9.5). */
  #agents: ClientAgents;

  constructor(settings: Settings, clock: Clock = systemClock, random: () => number = Math.random) {
    this.#settings = settings;
    this.clock = clock;
    this.#random = random;
    this.#agents = new ClientAgents(true, settings.timeout);
  }

  context({operation, id, secrets = []}: Call): CallContext {
    const {base, apiKey} = this.#settings;
    const redact = redactor([apiKey, ...secrets]);
    const keyKind = apiKey === undefined ? undefined : (claimedKind(apiKey) ?? 'other');
    return {operation, connectorId: id, base, keyKind, redact};
  }

  /** The address of an operation. @throws AppError of kind `usage` for an id that no path can hold */
  url(operation: Operation, id?: string): URL {
    const {path: pattern} = endpoints[operation];
    if (pattern.includes('{id}')) checkId(id ?? '');
    const path = fillPath(pattern, id === undefined ? {} : {id});
    return new URL(plainUrl(this.#settings.base) + path);
  }

  /**
   * Makes attempts until one succeeds, one fails for good, or the retries are used up.
   *
   * @param read reads a 2xx response; an error that it throws fails the attempt. `isRepeated`: an earlier attempt may have
   *   been carried out
   * @throws AppError of the last attempt
   */
  async send<T>(
    call: Call,
    read: (response: ServiceResponse, context: CallContext, isRepeated: boolean) => T,
  ): Promise<T> {
    const {signal, retries = this.#settings.retries} = call;
    const write = this.#settings.trace;
    // Parallel calls share the signal; before Node.js 22, its eleventh listener prints a warning.
    if (signal !== undefined) setMaxListeners(0, signal);
    const context = this.context(call);
    const trace = write && new Trace(write, context.redact);
    let isResponseLost = false;
    const attempt = async () =>
      read(await this.#attempt(call, context, trace), context, isResponseLost);
    return repeat(attempt, {
      backoff,
      random: this.#random,
      wait: (pause) => this.clock.wait(pause, signal),
      mayRepeat(error, retried, pause) {
        if (!(error instanceof ClientError)) return false;
        isResponseLost ||= error.isLost;
        if (retried >= retries || signal?.aborted || !isRepeatable(error)) {
          throw isResponseLost ? withUnknownOutcome(context, error) : error;
        }
        trace?.note(`trying again in ${Math.round(pause)} ms`);
        return true;
      },
    });
  }

  /** Sends the request once. @returns a 2xx response, complete or too long @throws ClientError otherwise */
  async #attempt(
    {operation, id, url = this.url(operation, id), body, headers, signal}: Call,
    context: CallContext,
    trace: Trace | undefined,
  ): Promise<ServiceResponse> {
    const {base, credential, timeout, onResponse} = this.#settings;
    const {method} = endpoints[operation];
    const proxy = proxyFor(url);
    if (proxy) trace?.note(`through the proxy ${proxy.url.origin}`);
    const agents = this.#agents;
    // The API key goes only to the origin of the base URL.
    const key = url.origin === base.origin ? credential : undefined;
    const received = await exchange({
      method,
      url,
      headers: {
        'user-agent': 'connectorctl',
        accept: 'application/json',
        // A cached response could show dead connectors as alive.
        ...(method === 'GET' && {'cache-control': 'no-cache'}),
        ...(key && {[key.header]: key.value}),
        ...(body !== undefined && {'content-type': 'application/json'}),
        ...headers,
      },
      keyHeader: key?.header,
      body,
      agents,
      timeout,
      signal,
      operation,
      followRedirect: (redirect) => mayFollow(method, url, redirect),
      onStart(stream) {
        if (agents.patience.round > 0) trace?.note('connecting with more time for each address');
        trace?.follow(stream, body);
      },
    });
    const {response, error} = received;
    if (response) onResponse?.(factsOf(response, base));
    else this.#agents = new ClientAgents(false, timeout, agents.patience);
    // The status of an error says more than its truncated body.
    if (response && (error === undefined || !isSuccess(response))) {
      trace?.responseBody(response.body, operation === 'activate' && isSuccess(response));
      if (isSuccess(response)) return response;
      throw serviceError(context, response, readServiceError(response));
    }
    const failure = networkError(context, received);
    trace?.failure(failure.message);
    throw failure;
  }
}

/** The facts about the service that the headers and the connection of a response show. */
function factsOf({headers, serverTime, url, connection}: ServiceResponse, base: URL): ServiceFacts {
  const expiry = headers[headerNames.keyExpires] ?? headers[headerNames.tokenExpiration];
  const key = {
    access: keyAccesses.find((access) => access === headers[headerNames.keyAccess]),
    // Anything but a time is ignored.
    expiresAt: readIsoTime(expiry ?? null),
    createdAt: readIsoTime(headers[headerNames.keyCreated] ?? null),
  };
  return {
    hasVirtualClock: hasVirtualClock(headers),
    clockAhead: serverTime && serverTime.getTime() - Date.now(),
    key: url.origin === base.origin ? key : undefined,
    connection,
  };
}

/**
 * Whether to follow a redirect. A GET may go to any HTTP or HTTPS origin, but only that of the base URL gets the key. A
 * POST stays a POST to the same origin, because its body may hold an activation token for this service alone. So a 303,
 * which would turn it into a GET, is not followed.
 */
export function mayFollow(
  method: string,
  from: URL,
  {headers: {location = ''}, statusCode}: Pick<IncomingMessage, 'headers' | 'statusCode'>,
): boolean {
  const to = new URL(location, from);
  if (method === 'GET') return /^https?:$/.test(to.protocol);
  return statusCode !== 303 && to.origin === from.origin;
}

/** `.` and `..` would vanish from the path (see `fillPath`); a lone surrogate has no percent-encoding. */
function checkId(id: string): void {
  if (id !== '' && !/^\.{1,2}$/.test(id) && !/[\ud800-\udfff]/u.test(id)) return;
  const message =
    id === '' ? 'The id of the connector is empty' : 'No URL can hold this connector id';
  throw new ClientError('usage', message, 'connector-id-invalid');
}
