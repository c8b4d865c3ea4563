import type {FastifyReply, FastifyRequest} from 'fastify';
import {headers, type Operation, operations, routes, serviceRoutes} from '../../contract/index.js';
import type {SandboxRequest} from '../../contract/sandbox.js';
import {hashSecret, redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {routerPath} from '../http/methods.js';
import type {RequestObserver} from '../http/request-log.js';
import {operationName} from './spec.js';

/** Maximum number of requests kept; after that the oldest is removed. */
const kept = 10_000;

type Entry = {-readonly [Field in keyof SandboxRequest]: SandboxRequest[Field]};

/** Paths that are not recorded: probes of them would only fill the journal. */
const servicePaths: readonly string[] = Object.values(serviceRoutes).map(({path}) => path);

/** Query parameters whose values are shown; others could contain secrets. */
const knownParameters = ['limit', 'cursor'];

const operationsByRoute = new Map(
  operations.flatMap((operation): [string, Operation][] => {
    const {method, path} = routes[operation];
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    return methods.map((one) => [`${one} ${routerPath(path)}`, operation]);
  }),
);

/** Whether a route belongs to the control routes. */
export function isControlPath(url: string | undefined): boolean {
  return url?.startsWith('/_sandbox/') ?? false;
}

/** The operation of the interface that the router found for a request. */
export function operationOf({method, routeOptions}: FastifyRequest): Operation | undefined {
  return operationsByRoute.get(`${method} ${routeOptions.url}`);
}

/**
 * The requests of clients and their results, without headers, bodies, or secrets in paths. It has no
 * durations, so that two runs can be compared.
 */
export class Journal {
  readonly #now: () => number;
  readonly #entries = new WeakMap<FastifyRequest, Entry>();
  /** Hashes of the Idempotency-Keys that came. */
  readonly #keys = new Set<string>();
  #list: Entry[] = [];
  #total = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a request, and its status once that is sent. */
  readonly watch: RequestObserver = (request, reply) => {
    const {url} = request.routeOptions;
    if (isControlPath(url) || (url !== undefined && servicePaths.includes(url))) return;
    const operation = operationOf(request);
    this.#total += 1;
    const entry: Entry = {
      number: this.#total,
      at: timestamp(this.#now()),
      method: request.method,
      path: shownPath(request.url),
      operation: operation === undefined ? null : operationName(operation),
      connector_id: connectorIn(request, operation),
      idempotency: this.#idempotencyOf(request),
      status: null,
      faults: [],
    };
    this.#entries.set(request, entry);
    this.#list.push(entry);
    if (this.#list.length > kept) this.#list.shift();
    noteResponse(reply, entry);
  };

  #idempotencyOf({headers: sent}: FastifyRequest): Entry['idempotency'] {
    const key = sent[headers.idempotencyKey];
    if (key === undefined) return 'none';
    const hash = hashSecret(String(key));
    if (this.#keys.has(hash)) return 'repeat';
    this.#keys.add(hash);
    const [oldest] = this.#keys;
    if (this.#keys.size > kept && oldest !== undefined) this.#keys.delete(oldest);
    return 'first';
  }

  /** Records the faults that act on a request. */
  noteFaults(request: FastifyRequest, specs: readonly string[]): void {
    this.#entries.get(request)?.faults.push(...specs);
  }

  get total(): number {
    return this.#total;
  }

  list(): {total: number; requests: SandboxRequest[]} {
    return {total: this.#total, requests: [...this.#list]};
  }

  clear(): void {
    this.#keys.clear();
    this.#list = [];
    this.#total = 0;
  }
}

/** Records the status before it is sent, so that a client that then reads the journal finds it. */
function noteResponse(reply: FastifyReply, entry: Entry): void {
  const {raw} = reply;
  const writeHead = raw.writeHead;
  const noteActivated = () => {
    entry.connector_id = reply.activatedId ?? entry.connector_id;
  };
  raw.writeHead = (status: number, ...rest: unknown[]) => {
    entry.status = status;
    noteActivated();
    return Reflect.apply(writeHead, raw, [status, ...rest]);
  };
  // A response that is dropped has no head, but the connector exists.
  raw.once('close', noteActivated);
}

/** The id in the path of a request about one connector. */
function connectorIn({params}: FastifyRequest, operation: Operation | undefined): string | null {
  if (operation !== 'get' && operation !== 'heartbeat') return null;
  const {id}: {readonly id?: unknown} = Object(params);
  return typeof id === 'string' ? redactSecrets(id) : null;
}

/** A path with the query parameters of the interface, decoded so that encoding cannot hide a secret. */
function shownPath(url: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = [...new URLSearchParams(query)].map(
    ([name, value]) => `${name}=${knownParameters.includes(name) ? value : '…'}`,
  );
  const shown = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return redactSecrets(decode(path) + shown);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
