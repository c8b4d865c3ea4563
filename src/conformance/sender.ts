import type {CallContext} from '../client/context.js';
import {readRetryAfter} from '../client/errors/service.js';
import {ClientAgents} from '../client/http/agents.js';
import {Trace} from '../client/http/trace.js';
import {readHeartbeat} from '../client/read/responses.js';
import {readSettings} from '../client/settings.js';
import type {ClientOptions} from '../client/types.js';
import {endpoints, fillPath, type Operation} from '../contract/endpoints.js';
import {repeat} from '../domain/backoff.js';
import {
  activationOf,
  type Exchange,
  isRateLimited,
  jsonOf,
  mostTimeouts,
  notSent,
  type SuiteRequest,
  shortened,
} from './exchange.js';
import {fieldOf, type Listing, readListing} from './listing.js';
import {probe} from './probe.js';
import {Secrets} from './secrets.js';

/** The key of a request: one of the user's, none, an invented one, or a given text. */
type KeyChoice = 'own' | 'second' | 'revoked' | 'none' | 'invalid' | {readonly text: string};

/** A key that no service issued. */
const inventedKey = 'conformance-key-that-nobody-issued';

/** Maximum bytes of bodies kept for later checks; the first body of each operation is always kept. */
const mostKept = 8 * 1024 * 1024;

/** Shortest credential to search for in a list: a shorter text may occur there by chance. */
const shortestCredential = 12;

/** How often one request is repeated under a rate limit. */
const mostRepeats = 4;
const backoff = {first: 200, longest: 2000, jitter: [1, 1]} as const;

/** The longest `Retry-After` that is waited for, in milliseconds. */
const longestRetryAfter = 60_000;

/** A response that limits the rate of requests, as the failure of an attempt. */
class RateLimited extends Error {
  readonly exchange: Exchange;
  readonly retryAfter: number;

  constructor(exchange: Exchange) {
    super('the service limits the rate of requests');
    this.exchange = exchange;
    this.retryAfter = (exchange.response && readRetryAfter(exchange.response)) ?? 0;
  }
}

/** The service, and the keys for it. */
export interface SenderOptions {
  readonly client: ClientOptions;
  readonly signal?: AbortSignal | undefined;
  readonly secondKey?: string | undefined;
  readonly revokedKey?: string | undefined;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** The parts of a request besides its operation. */
export interface Request {
  readonly id?: string;
  readonly key?: KeyChoice;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/**
 * Sends the requests of a run to its service. It waits when the service limits their rate, traces them, and keeps them
 * with their responses. It also collects the secrets in both, to redact them.
 */
export class RateLimitedSender {
  readonly secrets = new Secrets();
  /** The responses that limited the rate of requests. */
  readonly pauses: Exchange[] = [];
  /** The exchanges so far, while `mostKept` allows, for checks on all of them. */
  readonly exchanges: Exchange[] = [];
  readonly base: URL;
  readonly #options: SenderOptions;
  readonly #keys: Readonly<Record<Extract<KeyChoice, string>, string | undefined>>;
  /** The time-outs in a row of each operation. */
  readonly #timeouts = new Map<string, number>();
  readonly #agents: ClientAgents;
  #isImpatient = false;
  /** Bytes of the bodies in `exchanges`. */
  #kept = 0;

  constructor(options: SenderOptions) {
    const {client, secondKey, revokedKey} = options;
    this.#options = options;
    const {base, timeout} = readSettings(client);
    this.base = base;
    this.#agents = new ClientAgents(false, timeout);
    this.#keys = {
      own: client.apiKey,
      second: secondKey,
      revoked: revokedKey,
      none: undefined,
      invalid: inventedKey,
    };
    this.secrets.add(client.apiKey, 'CONNECTORCTL_API_KEY');
    this.secrets.add(secondKey, 'CONNECTORCTL_SECOND_API_KEY');
    this.secrets.add(revokedKey, 'CONNECTORCTL_REVOKED_API_KEY');
  }

  /** The lists and details that show a credential of a connector of this run. */
  readonly leaks: Exchange[] = [];
  readonly #credentials = new Set<string>();

  /** Whether this run received a connector's credential that it can recognize in a response. */
  get hasCredentials(): boolean {
    return this.#credentials.size > 0;
  }

  /** The `Authorization` header of requests with the key of the user. */
  get authorization(): string | undefined {
    return this.#credential('own')['authorization'];
  }

  /** Calls an operation of the interface. @throws ClientError without a connection */
  async call(operation: Operation, request: Request = {}): Promise<Exchange> {
    const {method, path} = endpoints[operation];
    const filled = request.id === undefined ? path : fillPath(path, {id: request.id});
    return this.#send({
      method: request.method ?? method,
      url: this.url(filled),
      operation,
      headers: this.#headers(request),
      body: request.body,
    });
  }

  /** Sends any other request below the base URL. @throws ClientError without a connection */
  request(method: string, path: string): Promise<Exchange> {
    return this.#send({method, url: this.url(path), headers: this.#headers({})});
  }

  url(path: string): URL {
    return new URL(this.base.href.replace(/\/$/, '') + path);
  }

  /** Sends a request, traces it, and keeps it with its response. @throws ClientError without a connection */
  async #send(call: SuiteRequest): Promise<Exchange> {
    const write = this.#options.client.trace;
    const trace = write && new Trace(write, (text) => this.secrets.redact(text));
    trace?.request(call.method, call.url.href, call.headers, call.body);
    const exchange = await this.#sendPatiently(call);
    const kept = shortened(exchange);
    const size = kept.response?.body.length ?? 0;
    const isFirst = !this.exchanges.some(({call: {operation}}) => operation === call.operation);
    if (isFirst || this.#kept + size <= mostKept) {
      this.exchanges.push(kept);
      this.#kept += size;
    }
    const body = jsonOf(exchange);
    if (call.operation === 'createToken') {
      const token = fieldOf(body ?? null, 'token');
      if (typeof token === 'string') this.secrets.add(token, 'TOKEN');
    }
    if (call.operation === 'activate') this.#noteCredential(exchange);
    if (call.operation === 'list' || call.operation === 'get') this.#noteLeak(exchange);
    this.secrets.addFields(body);
    this.secrets.add(exchange.response?.headers['set-cookie'], 'COOKIE');
    if (exchange.response !== undefined) {
      const {status, headers, body: sent} = exchange.response;
      trace?.response(status, headers);
      trace?.responseBody(sent);
    }
    if (exchange.failure !== undefined) trace?.failure(exchange.failure.text);
    return exchange;
  }

  #noteCredential(exchange: Exchange): void {
    const {connector, credential} = activationOf(exchange, '');
    const value = credential?.value;
    this.secrets.add(value, 'CONNECTOR_KEY');
    // A short credential, or one that equals the id or the name, may occur anywhere.
    const isOther = value !== connector?.id && value !== connector?.name;
    if (value !== undefined && value.length >= shortestCredential && isOther)
      this.#credentials.add(value);
  }

  #noteLeak(exchange: Exchange): void {
    const {body} = exchange.response ?? {};
    if (body === undefined) return;
    const isShown = [...this.#credentials].some((value) =>
      body.includes(JSON.stringify(value).slice(1, -1)),
    );
    if (isShown) this.leaks.push(shortened(exchange));
  }

  /** Sends a request again after the wait that a rate limit demands; the interface leaves limits open (§8). */
  async #sendPatiently(call: SuiteRequest): Promise<Exchange> {
    const attempt = async () => {
      const exchange = await this.#sendOnce(call);
      if (!isRateLimited(exchange)) return exchange;
      this.pauses.push(exchange);
      throw new RateLimited(exchange);
    };
    const repeated = repeat(attempt, {
      backoff,
      random: () => 0,
      wait: this.#options.wait,
      mayRepeat: (error, repeats) => {
        if (!(error instanceof RateLimited)) return false;
        // The wait was in vain, or would be too long: do not wait again in this run.
        this.#isImpatient ||= repeats === mostRepeats || error.retryAfter > longestRetryAfter;
        return !this.#isImpatient;
      },
    });
    return repeated.catch((error: unknown) => {
      if (error instanceof RateLimited) return error.exchange;
      throw error;
    });
  }

  async #sendOnce(call: SuiteRequest): Promise<Exchange> {
    const {client, signal} = this.#options;
    const key = call.operation ?? call.method;
    const timeouts = this.#timeouts.get(key) ?? 0;
    if (timeouts >= mostTimeouts) return {call, response: undefined, failure: notSent};
    const {timeout} = readSettings(client);
    const exchange = await probe(call, this.base, {timeout, agents: this.#agents, signal});
    this.#timeouts.set(key, exchange.failure?.reason === 'timed-out' ? timeouts + 1 : 0);
    return exchange;
  }

  #headers({key = 'own', body, headers}: Request): Record<string, string> {
    return {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'connectorctl-conformance',
      ...this.#credential(key),
      ...(body !== undefined && {'content-type': 'application/json'}),
      ...headers,
    };
  }

  #credential(choice: KeyChoice): Record<string, string> {
    const apiKey = typeof choice === 'object' ? choice.text : this.#keys[choice];
    const {credential} = readSettings({...this.#options.client, apiKey});
    return credential === undefined ? {} : {[credential.header]: credential.value};
  }

  #context(operation: Operation): CallContext {
    const redact = (text: string) => this.secrets.redact(text);
    return {operation, base: this.base, hasKey: true, redact};
  }

  /** The seconds until the next heartbeat, as the client reads them in a response. */
  nextHeartbeat(exchange: Exchange): number | undefined {
    const {response} = exchange;
    if (response === undefined || jsonOf(exchange) === undefined) return undefined;
    return readHeartbeat(response, this.#context('heartbeat')).nextHeartbeatSeconds;
  }

  /** Reads the list with a key. */
  readList(key: KeyChoice): Promise<Listing> {
    const headers = this.#headers({key});
    return readListing(this.#context('list'), this.url(endpoints.list.path), (url) =>
      this.#send({method: 'GET', url, operation: 'list', headers}),
    );
  }
}
