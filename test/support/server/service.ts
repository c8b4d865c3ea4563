import type {FastifyInstance, InjectOptions, LightMyRequestResponse} from 'fastify';
import {fillPath, type Operation, routes} from '../../../src/contract/index.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import type {NewKey} from '../../../src/server/admin/new-key.js';
import {type AppOptions, buildApp} from '../../../src/server/app.js';
import {type Runtime, systemRuntime} from '../../../src/server/context.js';
import {Listener, type ListenOptions} from '../../../src/server/net/listener.js';
import {atEndOfTest} from '../process/at-end-of-test.js';
import {MemoryStore} from '../store/memory-store.js';
import type {LogEntry} from '../store/recorded-log.js';
import {keepingLog} from './logs.js';
import {expectDocumented} from './openapi-check.js';

/** Options of a call. */
export interface CallOptions {
  readonly id?: string;
  /** API key; null sends none. Default: the key of the organization. */
  readonly key?: string | null;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly address?: string;
}

/** The service with a store in memory and a clock that the tests set. It ends with the test that starts it. */
export class Service {
  readonly store = new MemoryStore();
  time = Date.UTC(2026, 0, 1);
  /** The service's monotonic clock, which only the tests advance. */
  elapsed = 1;
  readonly runtime: Runtime = {
    ...systemRuntime,
    now: () => this.time,
    monotonic: () => this.elapsed,
  };
  /** What it has logged. */
  readonly lines: LogEntry[];
  readonly #options: Partial<AppOptions>;
  #app: FastifyInstance | undefined;
  #key = '';
  stop: () => Promise<void> = async () => {};

  constructor(options: Partial<AppOptions> = {}) {
    const {log, lines} = keepingLog();
    this.lines = lines;
    this.#options = {log, ...options};
  }

  get app(): FastifyInstance {
    if (this.#app === undefined) throw new Error('not started');
    return this.#app;
  }

  /** The API key of the organization `default`. */
  get key(): string {
    return this.#key;
  }

  async start(): Promise<this> {
    const {store, runtime} = this;
    // A slow machine must not count as overload, unless a test says so.
    const maxEventLoopDelay = Number.POSITIVE_INFINITY;
    this.#app = await buildApp({store, runtime, maxEventLoopDelay, ...this.#options});
    this.stop = atEndOfTest(() => this.app.close());
    this.#key = await this.addKey('default');
    return this;
  }

  /** Creates another API key. */
  async addKey(organization: string, more: Partial<NewKey> = {}): Promise<string> {
    const keyring = storeAdmin(this.store, keepingLog().log, {runtime: this.runtime});
    const key = {organization, description: null, expiresAt: null, ...more};
    return (await keyring.create(key)).secret;
  }

  /** Sends any request, and asserts that the OpenAPI document describes the response. */
  async send(request: Omit<InjectOptions, 'method'> & {method: string; url: string}) {
    // `inject` sends more methods than its types allow.
    const response = await this.app.inject(request as InjectOptions);
    expectDocumented(request.method, request.url, response);
    return response;
  }

  /** Calls an operation of the interface. */
  call(operation: Operation, options: CallOptions = {}): Promise<LightMyRequestResponse> {
    const {id = '', key = this.#key, query = '', body, address} = options;
    const {method, path, access} = routes[operation];
    const sendsKey = key !== null && (access !== 'none' || options.key !== undefined);
    return this.send({
      method,
      url: fillPath(path, {id}) + query,
      headers: {...(sendsKey && {authorization: `Bearer ${key}`}), ...options.headers},
      ...(body !== undefined && {payload: typeof body === 'string' ? body : JSON.stringify(body)}),
      ...(address !== undefined && {remoteAddress: address}),
    });
  }

  /** The sum of the metrics whose names and labels match a pattern. */
  async metric(pattern: string): Promise<number> {
    const {payload} = await this.send({method: 'GET', url: '/metrics'});
    const found = [...payload.matchAll(new RegExp(`^${pattern} (\\d+)$`, 'gm'))];
    return found.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** Creates an activation token. */
  async token(options: CallOptions = {}): Promise<string> {
    return (await this.call('createToken', options)).json().token;
  }

  /** Activates a connector. */
  async connector(name = 'web-1', options: CallOptions = {}): Promise<{id: string; key: string}> {
    const token = await this.token(options);
    const response = await this.call('activate', {body: {token, name}});
    const {id, api_key: key} = response.json();
    return {id, key};
  }
}

/** Starts a service on a free port of this machine; it ends with the test, or when its listener is closed. */
export async function listeningService(
  options: Partial<ListenOptions> = {},
  app: Partial<AppOptions> = {},
): Promise<{readonly service: Service; readonly listener: Listener}> {
  const listener = new Listener({host: '127.0.0.1', port: 0, ...options});
  const service = await new Service({createServer: listener.createServer, ...app}).start();
  atEndOfTest(() => listener.close());
  await listener.listen(service.app);
  return {service, listener};
}

/** Starts a service for each test of a suite. */
export function eachWithService(options: Partial<AppOptions> = {}): {readonly service: Service} {
  const holder = {service: new Service(options)};
  beforeEach(async () => {
    holder.service = await new Service(options).start();
  });
  return holder;
}

/** Status and code of an error response, to compare in one line. */
export function refusal(response: LightMyRequestResponse): [number, string] {
  return [response.statusCode, response.json().code];
}
