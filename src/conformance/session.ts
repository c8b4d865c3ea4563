import {randomBytes} from 'node:crypto';
import type {CallContext} from '../client/context.js';
import {readRetryAfter} from '../client/errors/service.js';
import {Trace} from '../client/http/trace.js';
import {readIsoTime} from '../client/read/fields.js';
import {readActivation} from '../client/read/reader.js';
import {readSettings} from '../client/settings.js';
import type {ClientOptions} from '../client/types.js';
import {endpoints, fillPath, type Operation} from '../contract/endpoints.js';
import {headers as headerNames} from '../contract/headers.js';
import {
  type Call,
  type Exchange,
  isRateLimited,
  isRefusedBody,
  isRefusedKey,
  isSuccess,
  jsonOf,
  shortened,
  whyNoSuccess,
} from './exchange.js';
import {fieldOf, type Listing, readListing, readShown, type ShownConnector} from './listing.js';
import {CannotTell, type Need} from './outcome.js';
import {type Probe, Unreachable} from './probe.js';
import {Secrets} from './secrets.js';

/** The shell variable of each key. */
export const keyVariables = {
  own: 'CONNECTORCTL_API_KEY',
  second: 'CONNECTORCTL_SECOND_API_KEY',
  revoked: 'CONNECTORCTL_REVOKED_API_KEY',
} as const;

/** Which key a request carries: one of the user, none, a made-up one, or a given text. */
export type KeyChoice = keyof typeof keyVariables | 'none' | 'invalid' | {readonly text: string};

/** A key that no service issued. */
const inventedKey = 'conformance-key-that-nobody-issued';

/** An activation token that no service issued, and an id that no connector has. */
export const inventedToken = 'conformance-token-that-nobody-issued';
export const inventedId = 'conformance-no-such-connector';

/** Bytes of bodies that are kept for later checks; the first of each operation is kept in any case. */
const mostKept = 8 * 1024 * 1024;

/** How often a request is sent while the service limits their rate, and the longest wait, in milliseconds. */
const mostAttempts = 4;
const longestPause = 60_000;

/** Requests without a response, one second apart, after which the service counts as gone. */
const lifeSigns = 3;

/** What a session may do, and with which keys. */
export interface SessionOptions {
  readonly client: ClientOptions;
  readonly secondKey?: string | undefined;
  readonly revokedKey?: string | undefined;
  readonly mayWrite: boolean;
  readonly maxConnectors: number;
  /** Milliseconds to wait for the expiry of a token. */
  readonly patience: number;
  /** Advances the clock of a sandbox by so many seconds. */
  readonly advance: (seconds: number) => Promise<void>;
  /** The time of a sandbox's clock, in milliseconds since the Unix epoch. */
  readonly sandboxTime: () => Promise<number>;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly run?: string | undefined;
}

export interface CreatedToken {
  readonly token: string;
  readonly expiresAt: Date | undefined;
  readonly exchange: Exchange;
}

/** A connector that the suite activated. */
export interface Activated {
  readonly name: string;
  readonly token: string;
  readonly exchange: Exchange;
  /** Its own credential, where the service sent one. */
  readonly credential: string | undefined;
}

interface Request {
  readonly id?: string;
  readonly key?: KeyChoice;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** A run of the suite against one service: requests, and what several checks share. */
export class Session {
  readonly secrets = new Secrets();
  /** The responses that limited the rate of requests. */
  readonly pauses: Exchange[] = [];
  /** Every exchange so far, for checks on all of them. */
  readonly exchanges: Exchange[] = [];
  readonly run: string;
  readonly options: SessionOptions;
  readonly #probe: Probe;
  readonly #base: URL;
  readonly #shared = new Map<string, Promise<unknown>>();
  #activations = 0;
  #isImpatient = false;
  #kept = 0;
  /** The names that were meant for a connector of this run. */
  readonly #names = new Set<string>();
  /** The connectors that were activated with one of these names, each with its id, if that is known. */
  readonly #created = new Map<string, string | undefined>();

  constructor(probe: Probe, options: SessionOptions) {
    this.#probe = probe;
    this.options = options;
    this.run = options.run ?? randomBytes(3).toString('hex');
    this.#base = readSettings(options.client).base;
    const {client, secondKey, revokedKey} = options;
    this.secrets.add(client.apiKey, keyVariables.own);
    this.secrets.add(secondKey, keyVariables.second);
    this.secrets.add(revokedKey, keyVariables.revoked);
  }

  get isSandbox(): boolean {
    return this.exchanges.some(
      ({response}) => response?.headers[headerNames.sandbox] !== undefined,
    );
  }

  get base(): URL {
    return this.#base;
  }

  has(need: Need): boolean {
    if (need === 'writes') return this.options.mayWrite;
    return this.options[need === 'second-key' ? 'secondKey' : 'revokedKey'] !== undefined;
  }

  /** Carries something out once, however many checks ask for it. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#shared.get(name) ?? make();
    this.#shared.set(name, known);
    return known as Promise<T>;
  }

  /** Calls an operation of the interface. @throws Unreachable */
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

  /** Sends any other request below the base URL. */
  request(method: string, path: string, request: Request = {}): Promise<Exchange> {
    const headers = this.#headers(request);
    return this.#send({method, url: this.url(path), headers, body: request.body});
  }

  url(path: string): URL {
    return new URL(this.#base.href.replace(/\/$/, '') + path);
  }

  async #send(call: Call): Promise<Exchange> {
    const trace = this.#trace();
    trace?.request(
      {method: call.method, getHeaders: () => ({...call.headers})},
      call.url,
      call.body,
    );
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
    if (call.operation === 'activate')
      this.secrets.add(readActivation(body, '').credential?.value, 'CONNECTOR_KEY');
    this.secrets.addFields(body);
    this.secrets.add(exchange.response?.headers['set-cookie'], 'COOKIE');
    if (kept.response !== undefined) {
      const {status, headers, isCut} = kept.response;
      trace?.response(status, headers);
      trace?.responseBody(isCut ? undefined : kept.response.body.toString());
    }
    const failure = exchange.failure ?? exchange.response?.defect;
    if (failure !== undefined) trace?.failure(failure);
    return exchange;
  }

  /** Waits as long as a service asks that limits the rate of requests, which is open (§8). */
  async #sendPatiently(call: Call): Promise<Exchange> {
    for (let attempt = 1; ; attempt += 1) {
      const exchange = await this.#probe.send(call);
      if (!isRateLimited(exchange)) return exchange;
      this.pauses.push(exchange);
      const pause = readRetryAfter(exchange.response?.headers['retry-after'], Date.now()) ?? 1000;
      // A service that does not keep its word is not waited for again.
      this.#isImpatient ||= attempt === mostAttempts || pause > longestPause;
      if (this.#isImpatient) return exchange;
      await this.options.wait(pause);
    }
  }

  /** The trace of one request. */
  #trace(): Trace | undefined {
    const {trace, traceDetail} = this.options.client;
    if (trace === undefined) return undefined;
    const started = new Trace(trace, (text) => this.secrets.redact(text), traceDetail === 'brief');
    started.start();
    return started;
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
    const {client, secondKey, revokedKey} = this.options;
    const text =
      typeof choice === 'object'
        ? choice.text
        : {
            own: client.apiKey,
            second: secondKey,
            revoked: revokedKey,
            none: undefined,
            invalid: inventedKey,
          }[choice];
    if (text === undefined) return {};
    const {credential} = readSettings({...client, apiKey: text});
    return credential === undefined ? {} : {[credential.header]: credential.value};
  }

  /**
   * Repeats the first request that got a whole response, after another one got no response.
   *
   * @throws Unreachable when it gets none any more
   */
  async expectLife(): Promise<void> {
    const call = this.exchanges.find(
      ({response, call: {method}}) =>
        response !== undefined && response.defect === undefined && method === 'GET',
    )?.call;
    if (call === undefined) return;
    let failure: string | undefined;
    for (let look = 0; look < lifeSigns; look += 1) {
      if (look > 0) await this.options.wait(1000);
      const exchange = await this.#probe.send(call);
      if (exchange.response !== undefined) return;
      ({failure} = exchange);
    }
    throw new Unreachable(`it stopped responding: ${failure}`, undefined);
  }

  // --- tokens ---

  /** The first token that the suite created, with its exchange; every check of §4.1 looks at it. */
  firstCreation(): Promise<Exchange> {
    return this.once('first token', () => this.call('createToken'));
  }

  /** A new token. @throws CannotTell when the service created none that can be read */
  async createToken(): Promise<CreatedToken> {
    return readCreated(await this.call('createToken'));
  }

  // --- connectors ---

  activate(token: string, name: string, headers: Readonly<Record<string, string>> = {}) {
    if (token !== inventedToken) this.secrets.add(token, 'TOKEN');
    const body = JSON.stringify({token, name});
    return this.call('activate', {key: 'none', body, headers}).then(async (exchange) => {
      this.#note(exchange, token, name);
      // Which credentials an operation needs is open (§5): some services want the key here too.
      if (!isRefusedKey(exchange) || this.options.client.apiKey === undefined) return exchange;
      if (token === inventedToken) return exchange;
      const again = await this.call('activate', {body, headers});
      this.#note(again, token, name);
      return isRefusedKey(again) ? exchange : again;
    });
  }

  #note(exchange: Exchange, token: string, name: string): void {
    const {connector} = readActivation(jsonOf(exchange), token);
    if (!isSuccess(exchange) || !this.#names.has(name) || this.#created.has(name)) return;
    this.#created.set(name, connector?.id);
  }

  /** The name for the next connector. @throws CannotTell when the run may create no further one */
  nextName(suffix = ''): string {
    if (this.#activations >= this.options.maxConnectors) {
      throw new CannotTell(
        `the run may create no more than ${this.options.maxConnectors} connectors`,
      );
    }
    this.#activations += 1;
    const name = `conformance-${this.run}-${this.#activations}${suffix}`;
    this.#names.add(name);
    return name;
  }

  /** The connector that most checks use. @throws CannotTell when it could not be activated */
  connector(): Promise<Activated> {
    return this.once('connector', async () => {
      const {token} = readCreated(await this.firstCreation());
      const name = this.nextName();
      const exchange = await this.activate(token, name);
      const credential = readActivation(jsonOf(exchange), token).credential?.value;
      return {name, token, exchange, credential};
    });
  }

  /** That connector, if its activation succeeded. @throws CannotTell */
  async activated(): Promise<Activated> {
    const connector = await this.connector();
    const refusal = whyNoSuccess(connector.exchange);
    if (refusal !== undefined) throw new CannotTell(`no connector could be activated: ${refusal}`);
    return connector;
  }

  /** The id of that connector: from its activation, else from the list. @throws CannotTell */
  activatedId(): Promise<string> {
    return this.once('activated id', async () => {
      const {exchange, name, token} = await this.activated();
      const own = readActivation(jsonOf(exchange), token).connector?.id;
      if (own !== undefined) return own;
      const id = (await this.listedByName(name)).connector?.id;
      if (id === undefined) throw new CannotTell('the id of the activated connector is not known');
      return id;
    });
  }

  /** The connectors of this run that a list does not have, by name. */
  missingFrom({connectors}: Listing): string[] {
    const ids = new Set(connectors.map(({id}) => id));
    const names = new Set(connectors.map(({fields: {name}}) => name));
    // Letters beyond ASCII may be changed, which is a check of its own.
    return [...this.#created].flatMap(([name, id]) => {
      const isListed = id === undefined ? names.has(name) || !/^[\w-]+$/.test(name) : ids.has(id);
      return isListed ? [] : name;
    });
  }

  /** The ids that the activations of this run returned. */
  activatedIds(): string[] {
    return [...this.#created.values()].filter((id) => id !== undefined);
  }

  listedByName(name: string) {
    return this.#listed(({fields}) => fields.name === name);
  }

  listedById(id: string) {
    return this.#listed((connector) => connector.id === id);
  }

  async #listed(
    isMeant: (connector: ShownConnector) => boolean,
  ): Promise<{readonly listing: Listing; readonly connector: ShownConnector | undefined}> {
    const listing = await this.listUntil(({connectors}) => connectors.some(isMeant));
    return {listing, connector: listing.connectors.find(isMeant)};
  }

  /** The list; looks again for some seconds until it is as expected, since a list may lag behind. */
  async listUntil(isExpected: (listing: Listing) => boolean): Promise<Listing> {
    for (let look = 0; ; look += 1) {
      const listing = await this.readList('own');
      const isReadable = listing.fault === undefined && listing.unread === undefined;
      if (!isReadable || look === 3 || isExpected(listing)) return listing;
      await this.options.wait(1000);
    }
  }

  /** The list as it was at the first request. */
  listing(): Promise<Listing> {
    return this.once('list', () => this.readList('own'));
  }

  /** Reads the list with a key. */
  readList(key: KeyChoice): Promise<Listing> {
    const context: CallContext = {
      operation: 'list',
      base: this.#base,
      hasKey: true,
      redact: (text) => this.secrets.redact(text),
    };
    const headers = this.#headers({key});
    return readListing(context, this.url(endpoints.list.path), (url) =>
      this.#send({method: 'GET', url, operation: 'list', headers}),
    );
  }

  /** A connector to read: the activated one, else the first of the list. @throws CannotTell */
  readableConnector(): Promise<{
    readonly id: string;
    readonly name: unknown;
    readonly key: KeyChoice;
  }> {
    return this.once('readable', async () => {
      if (this.options.mayWrite) {
        const {name} = await this.activated();
        return {id: await this.activatedId(), name, key: 'own' as const};
      }
      const {connectors, fault, unread} = await this.listing();
      const reason = fault ?? (connectors.length === 0 ? unread : undefined);
      if (reason !== undefined) throw new CannotTell(`the list could not be read: ${reason}`);
      const first = connectors.find(({id}) => id !== undefined);
      if (first?.id === undefined) throw new CannotTell('the list holds no connector to read');
      return {id: first.id, name: first.fields.name, key: 'own' as const};
    });
  }

  /** The response to reading that connector. */
  readOne(): Promise<Exchange> {
    return this.once('read one', async () => {
      const {id, key} = await this.readableConnector();
      return this.call('get', {id, key});
    });
  }

  /** A heartbeat with the connector's own credential, else with the key. */
  heartbeat(): Promise<Exchange> {
    return this.once('heartbeat', () => this.beat());
  }

  async beat(): Promise<Exchange> {
    const id = await this.activatedId();
    const {credential} = await this.activated();
    const own = credential === undefined ? {} : {key: {text: credential}};
    const first = await this.call('heartbeat', {id, ...own});
    const key = own.key !== undefined && isRefusedKey(first) ? {} : own;
    const exchange = key === own ? first : await this.call('heartbeat', {id});
    // Whether a heartbeat has a body is open (§4.5).
    return isRefusedBody(exchange) ? this.call('heartbeat', {id, ...key, body: '{}'}) : exchange;
  }

  /** The refusal of an invented token, which several checks look at. */
  unknownToken(): Promise<Exchange> {
    return this.once('unknown token', () =>
      this.activate(inventedToken, `conformance-${this.run}-refused`),
    );
  }

  /** The response to a body that no service can carry out. */
  invalidJson(): Promise<Exchange> {
    return this.once('invalid JSON', () => this.call('activate', {body: '{"token": '}));
  }

  /** The response to a body of 1 MiB, which no service can carry out either: it has no end. */
  largeBody(): Promise<Exchange> {
    const body = `{"token": "${'x'.repeat(1024 * 1024)}`;
    return this.once('large body', () => this.call('activate', {body}));
  }

  unknownId(): Promise<Exchange> {
    return this.once('unknown id', () => this.call('get', {id: inventedId}));
  }

  /** The record of the read connector now. */
  async record(): Promise<ShownConnector> {
    const exchange = await this.call('get', {id: await this.activatedId()});
    if (!isSuccess(exchange)) throw new CannotTell('the connector cannot be read');
    return readShown(jsonOf(exchange) ?? null);
  }

  /** The request as a line for a shell, with the secrets as variables. */
  curl({call}: Exchange): string {
    const {method, url, headers, body} = call;
    const shown = Object.entries(headers).filter(
      ([name]) => !['accept', 'accept-encoding', 'user-agent'].includes(name),
    );
    const word = (text: string) => this.secrets.shellWord(text);
    /** A body that nobody wants to paste ends with one letter, many times. */
    const long = /^(.*?)(\w)(\2{1000,})$/s.exec(body ?? '');
    const parts = [
      `curl -i${method === 'HEAD' ? 'I' : ''}`,
      ...(method === 'GET' || method === 'HEAD' ? [] : [`-X ${method}`]),
      ...shown.map(([name, value]) => `-H ${word(`${name}: ${value}`)}`),
      ...(body === undefined ? [] : [long === null ? `-d ${word(body)}` : '--data-binary @-']),
      word(url.href),
    ];
    const [, start = '', letter, rest = ''] = long ?? [];
    const made = `{ printf %s ${word(start)}; head -c ${rest.length + 1} /dev/zero | tr '\\0' ${letter}; } | `;
    return this.secrets.redact((long === null ? '' : made) + parts.join(' '));
  }
}

/** @throws CannotTell when there is no token in it */
export function readCreated(exchange: Exchange): CreatedToken {
  const refusal = whyNoSuccess(exchange);
  if (refusal !== undefined) throw new CannotTell(`no token could be created: ${refusal}`);
  const body = jsonOf(exchange) ?? null;
  const token = fieldOf(body, 'token');
  if (typeof token !== 'string' || token === '') {
    throw new CannotTell('no token could be created: the response has no `token`');
  }
  const expiresAt = readIsoTime(fieldOf(body, 'expires_at') ?? null, true);
  return {token, expiresAt, exchange};
}
