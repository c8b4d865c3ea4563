import type {IncomingMessage} from 'node:http';
import type {CallContext} from '../client/context.js';
import {failureOf} from '../client/errors/network.js';
import {readRetryAfter} from '../client/errors/service.js';
import {ClientAgents} from '../client/http/agents.js';
import {exchange} from '../client/http/exchange.js';
import {Trace} from '../client/http/trace.js';
import {ClientError, longestBody} from '../client/messages.js';
import {readActivation} from '../client/read/responses.js';
import {readSettings} from '../client/settings.js';
import type {ClientOptions} from '../client/types.js';
import {endpoints, fillPath, type Operation} from '../contract/endpoints.js';
import {Exchange, mostTimeouts, notSent, type SuiteRequest} from './exchange.js';
import {fieldOf, type Listing, readListing} from './listing.js';
import {Secrets} from './secrets.js';

/** The key of a request: one of the user's, none, an invented one, or a given text. */
type KeyChoice = 'own' | 'second' | 'revoked' | 'none' | 'invalid' | {readonly text: string};

/** A key that no service issued. */
const inventedKey = 'conformance-key-that-nobody-issued';

/** The wait after a 429 without `Retry-After`, and the longest wait with one, in milliseconds. */
const usualWait = 1000;
const longestWait = 60_000;

/** The service of a run, the keys for it, and the permissions. */
interface SessionOptions {
  readonly client: ClientOptions;
  readonly signal?: AbortSignal | undefined;
  readonly secondKey?: string | undefined;
  readonly revokedKey?: string | undefined;
  readonly mayWrite: boolean;
  readonly maxConnectors: number;
  /** Maximum milliseconds to wait for a token to expire or a status to age. */
  readonly patience: number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** The parts of a request besides its operation. */
interface Request {
  readonly id?: string;
  readonly key?: KeyChoice;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** An address instead of that of the operation. */
  readonly url?: URL | undefined;
}

/** Sends the requests of a run to its service, traces them, and collects the secrets in them, to redact them. */
export class Sender {
  readonly secrets = new Secrets();
  /** The exchanges so far, for checks on all of them; without those at another address, such as further pages. */
  readonly exchanges: Exchange[] = [];
  readonly base: URL;
  readonly options: SessionOptions;
  readonly #keys: Readonly<Record<Extract<KeyChoice, string>, string | undefined>>;
  readonly #timeout: number;
  readonly #agents: ClientAgents;
  /** The number of consecutive timeouts of each operation. */
  readonly #timeouts = new Map<Operation, number>();
  /** Whether the service responded with 429 again after a wait; the run then waits no more. */
  #isImpatient = false;

  constructor(options: SessionOptions) {
    const {client, secondKey: second, revokedKey: revoked} = options;
    this.options = options;
    const {base, timeout} = readSettings(client);
    this.base = base;
    this.#timeout = timeout;
    this.#agents = new ClientAgents(false, timeout);
    const own = client.apiKey;
    this.#keys = {own, second, revoked, none: undefined, invalid: inventedKey};
    this.secrets.add(own, 'CONNECTORCTL_API_KEY');
    this.secrets.add(second, 'CONNECTORCTL_SECOND_API_KEY');
    this.secrets.add(revoked, 'CONNECTORCTL_REVOKED_API_KEY');
  }

  url(path: string): URL {
    return new URL(this.base.href.replace(/\/$/, '') + path);
  }

  /** The context in which the client reads a response. */
  context(operation: Operation): CallContext {
    const redact = (text: string) => this.secrets.redact(text);
    return {operation, base: this.base, keyKind: 'other', redact};
  }

  /**
   * Calls an operation; after a 429 once more, when its `Retry-After` is over. The interface leaves limits open (§8).
   *
   * @throws ClientError of kind `unavailable` without a connection
   */
  async call(operation: Operation, request: Request = {}): Promise<Exchange> {
    const {id, url, body} = request;
    const {method, path} = endpoints[operation];
    const filled = id === undefined ? path : fillPath(path, {id});
    const headers = this.#headers(request);
    const call = {method, url: url ?? this.url(filled), operation, headers, body};
    const attempt = async () => {
      const exchange = await this.#attempt(call);
      if (url === undefined) this.exchanges.push(exchange.shortened);
      return exchange;
    };
    const first = await attempt();
    if (first.response === undefined || !first.isRateLimited) return first;
    const pause = readRetryAfter(first.response) ?? usualWait;
    if (this.#isImpatient || pause > longestWait) return first;
    await this.options.wait(pause);
    const second = await attempt();
    this.#isImpatient ||= second.isRateLimited;
    return second;
  }

  /** Sends a request once, unless the last ones of its operation timed out. */
  async #attempt(call: SuiteRequest): Promise<Exchange> {
    const {trace: write} = this.options.client;
    const {operation, method, url, headers, body} = call;
    const timeouts = this.#timeouts.get(operation) ?? 0;
    if (timeouts >= mostTimeouts) return new Exchange(call, undefined, notSent);
    const {redact} = this.context(operation);
    const trace = write && new Trace(write, redact);
    trace?.request(method, url.href, headers, body);
    const exchange = await this.#exchange(call);
    const {response, failure} = exchange;
    this.#timeouts.set(operation, failure?.reason === 'timed-out' ? timeouts + 1 : 0);
    this.#noteSecrets(exchange);
    if (response !== undefined) {
      trace?.response(response.status, response.headers);
      trace?.responseBody(response.body);
    }
    if (failure !== undefined) trace?.failure(failure.text);
    return exchange;
  }

  /**
   * Sends a request, and returns the response unchanged. It limits time and size, so that a slow or hostile service can
   * neither hang the suite nor fill its memory.
   */
  async #exchange(call: SuiteRequest): Promise<Exchange> {
    const {signal} = this.options;
    signal?.throwIfAborted();
    const followRedirect = (redirect: IncomingMessage) => keepsRequest(call, redirect);
    const limits = {timeout: this.#timeout, agents: this.#agents, signal, followRedirect};
    const received = await exchange({...call, ...limits});
    signal?.throwIfAborted();
    const {url, response, isSent, error} = received;
    const {host, origin, href} = this.base;
    const text = `its body is longer than ${longestBody(call.operation)} MiB`;
    const tooLong = response?.isTooLong && ({reason: 'response-too-long', text} as const);
    const failure = tooLong || (error === undefined ? undefined : failureOf(received, host));
    if (failure === undefined || isSent) return new Exchange({...call, url}, response, failure);
    const message = `Cannot reach ${origin}: ${failure.text}`;
    const details = {origin, baseUrl: href};
    throw new ClientError('unavailable', message, failure.reason, {details});
  }

  #noteSecrets(exchange: Exchange): void {
    const {call, response} = exchange;
    const body = exchange.json;
    const token = call.operation === 'createToken' ? fieldOf(body ?? null, 'token') : undefined;
    if (typeof token === 'string') this.secrets.add(token, 'TOKEN');
    if (call.operation === 'activate')
      this.secrets.add(readActivation(body, '', response).credential?.value, 'CONNECTOR_KEY');
    this.secrets.addFields(body);
    this.secrets.add(response?.headers['set-cookie'], 'COOKIE');
  }

  #headers({key = 'own', body, headers}: Request): Record<string, string> {
    const apiKey = typeof key === 'object' ? key.text : this.#keys[key];
    const {credential} = readSettings({...this.options.client, apiKey});
    return {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'connectorctl-conformance',
      ...(credential && {[credential.header]: credential.value}),
      ...(body !== undefined && {'content-type': 'application/json'}),
      ...headers,
    };
  }

  /** Reads the list. @param onPage gets each page before it is shortened */
  readList(key: KeyChoice = 'own', onPage?: (page: Exchange) => void): Promise<Listing> {
    const first = this.url(endpoints.list.path);
    return readListing(this.context('list'), first, async (url) => {
      const isFirst = url === first;
      const page = await this.call('list', {key, url: isFirst ? undefined : url});
      onPage?.(page);
      return page;
    });
  }
}

/** Whether a redirect, which is then followed, leads to the same origin with the same method. */
function keepsRequest(
  {method, url}: SuiteRequest,
  {statusCode = 0, headers: {location}}: IncomingMessage,
): boolean {
  const statuses = method === 'GET' ? [301, 302, 307, 308] : [307, 308];
  if (location === undefined || !statuses.includes(statusCode)) return false;
  return URL.canParse(location, url.href) && new URL(location, url).origin === url.origin;
}
