import type {FastifyRequest} from 'fastify';
import {headers, type Operation, operations, routes} from '../../contract/index.js';
import {faultOperations, type SandboxRequest} from '../../contract/sandbox.js';
import {redactSecrets} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {routerPath} from '../http/methods.js';
import type {RequestObserver} from '../http/request-log.js';

/** Maximum number of requests kept; after that the oldest is removed. */
const kept = 10_000;

type JournalEntry = {-readonly [Field in keyof SandboxRequest]: SandboxRequest[Field]};

const operationsByRoute = new Map(
  operations.flatMap((operation): [string, Operation][] => {
    const {method, path} = routes[operation];
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    return methods.map((one) => [`${one} ${routerPath(path)}`, operation]);
  }),
);

/** The operation of the interface that the router found for a request. */
export function operationOf({method, routeOptions}: FastifyRequest): Operation | undefined {
  return operationsByRoute.get(`${method} ${routeOptions.url}`);
}

/**
 * The requests of clients and their results, without headers, queries, bodies, or secrets in paths. It has no
 * durations, so that two runs can be compared.
 */
export class Journal {
  readonly #now: () => number;
  readonly #entries = new WeakMap<FastifyRequest, JournalEntry>();
  readonly #idempotencyKeys = new Set<unknown>();
  #list: JournalEntry[] = [];
  #total = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a request, and its status once that is sent. */
  readonly watch: RequestObserver = (request, {raw}) => {
    const operation = operationOf(request);
    // Probes of the service, and control routes, would only fill the journal.
    if (operation === undefined && !request.is404) return;
    const [name = null] = [...faultOperations].find(([, value]) => value === operation) ?? [];
    const [path = ''] = request.url.split('?');
    this.#total += 1;
    const entry: JournalEntry = {
      number: this.#total,
      at: timestamp(this.#now()),
      method: request.method,
      path: redactSecrets(path),
      operation: name,
      idempotency: this.#idempotencyOf(request),
      status: null,
      faults: [],
    };
    this.#entries.set(request, entry);
    this.#list.push(entry);
    if (this.#list.length > kept) this.#list.shift();
    // Before it is sent, so that a client that then reads the journal finds it.
    const {writeHead} = raw;
    raw.writeHead = (status: number, ...rest: unknown[]) => {
      entry.status = status;
      return Reflect.apply(writeHead, raw, [status, ...rest]);
    };
  };

  #idempotencyOf({headers: sent}: FastifyRequest): JournalEntry['idempotency'] {
    const key = sent[headers.idempotencyKey];
    if (key === undefined) return 'none';
    if (this.#idempotencyKeys.has(key)) return 'repeat';
    this.#idempotencyKeys.add(key);
    return 'first';
  }

  /** Records the faults that act on a request. */
  noteFaults(request: FastifyRequest, specs: readonly string[]): void {
    const entry = this.#entries.get(request);
    if (entry !== undefined) entry.faults = specs;
  }

  get total(): number {
    return this.#total;
  }

  list(): {total: number; requests: SandboxRequest[]} {
    return {total: this.#total, requests: [...this.#list]};
  }

  clear(): void {
    this.#idempotencyKeys.clear();
    this.#list = [];
    this.#total = 0;
  }
}
