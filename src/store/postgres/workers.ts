import type {ConnectionOptions} from 'node:tls';
import type pg from 'pg';
import {errorMessage} from '../../system/error-codes.js';
import {StoreError, type StoreOptions} from '../store.js';
import type {AcknowledgedState} from './acknowledged.js';
import {type CitusCluster, identify, type Node} from './citus.js';
import {Database, type StatementLimits} from './connection/database.js';
import {describeHost, type PostgresLocation} from './connection/location.js';
import {PrimaryPool} from './connection/primary-pool.js';
import type {Statement} from './connection/run.js';
import type {TimeLimits} from './connection/time-limits.js';

/**
 * Maximum number of connections to a worker: look-ups and heartbeats, each for two kinds of scope, send
 * it one statement at a time.
 */
const connections = 4;

/** Pauses between attempts to connect to a worker in milliseconds: the first one, which doubles up to the last. */
const backoff = {first: 500, last: 30_000} as const;

/** Runs statements about the connectors of one shard. */
export type Executor = Pick<Database, 'query' | 'change'>;

/** The parts of direct connections to workers. */
interface DirectWorkersParts {
  readonly coordinator: Database;
  readonly cluster: Pick<CitusCluster, 'nodes' | 'nodeOf'>;
  readonly acknowledged: AcknowledgedState;
  /** The coordinator; the workers have the same database and login. */
  readonly location: PostgresLocation;
  readonly tls: ConnectionOptions;
  readonly times: TimeLimits;
  readonly options: Pick<StoreOptions, 'log' | 'onCommit'>;
}

/**
 * Connections to the workers of Citus. Each worker runs the same statements as the coordinator, and saves the
 * round trip and the second planning for its own shards; for other shards it asks the worker that holds them.
 */
export class DirectWorkers {
  readonly #parts: DirectWorkersParts;
  /** By address, because a node gets another one when its standby is promoted. */
  readonly #workers = new Map<string, Worker>();

  constructor(parts: DirectWorkersParts) {
    this.#parts = parts;
  }

  /** Where to run statements about the shard of a connector. */
  executorFor(id: string): Executor {
    const node = this.#parts.cluster.nodeOf(id);
    const {coordinator} = this.#parts;
    return node === undefined ? coordinator : (this.#workerOf(node) ?? coordinator);
  }

  /** Starts to connect to the workers that are not connected. Returns warnings about those that cannot be used. */
  check(): readonly string[] {
    return this.#parts.cluster.nodes.flatMap((node) => {
      const worker = this.#workerOf(node);
      worker?.connect();
      return worker?.hasFailed
        ? [
            `Node ${node.id} of the database cannot be used directly, so its statements go through the ` +
              'coordinator. The log says why.',
          ]
        : [];
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.close()));
  }

  /** Undefined for shards on the coordinator. */
  #workerOf(node: Node): Worker | undefined {
    if (node.isCoordinator) return undefined;
    const address = describeHost(node);
    const worker = this.#workers.get(address) ?? new Worker(node, this.#parts);
    this.#workers.set(address, worker);
    return worker;
  }
}

/** Direct connections to one worker. While it cannot be used, its statements go through the coordinator. */
class Worker implements Executor {
  readonly #node: Node;
  readonly #parts: DirectWorkersParts;
  readonly #database: Database;
  #isReady = false;
  #attempt: Promise<void> | undefined;
  /** Number of failures since the worker was last ready. */
  #failures = 0;
  #notBefore = 0;

  constructor(node: Node, parts: DirectWorkersParts) {
    this.#node = node;
    this.#parts = parts;
    const {times, tls, options} = parts;
    const poolSize = Math.min(connections, parts.location.poolSize);
    const location = {...parts.location, hosts: [node], poolSize};
    const onLost = (reason: StoreError): void => this.#suspend(reason);
    const pool = new PrimaryPool({location, tls, times, onLost});
    this.#database = new Database(pool, poolSize, times, options.onCommit);
  }

  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  query<Row extends pg.QueryResultRow>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<readonly Row[]> {
    return this.#run((database, limits) => database.query<Row>(statement, values, limits));
  }

  change<Row extends pg.QueryResultRow>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<readonly Row[]> {
    return this.#run((database, limits) => database.change<Row>(statement, values, limits));
  }

  /** Repeats on the coordinator what fails here: it is unknown whether it took effect, but it is repeatable. */
  async #run<T>(work: (database: Database, limits: StatementLimits) => Promise<T>): Promise<T> {
    const {coordinator, times} = this.#parts;
    if (!this.#isReady) {
      this.connect();
      return work(coordinator, times);
    }
    const {patience, response} = times;
    const deadline = performance.now() + patience;
    try {
      return await work(this.#database, {patience, response, retries: false});
    } catch (error) {
      // After a conflict or a time limit the worker can still be used; `onLost` reports lost connections.
      if (!(error instanceof StoreError) || error.kind !== 'unavailable') this.#suspend(error);
      const rest = deadline - performance.now();
      if (rest <= 0) throw error;
      return work(coordinator, {patience: rest, response});
    }
  }

  /** Connects in the background, unless it is connected or has failed just before. */
  connect(): void {
    if (this.#isReady || this.#attempt !== undefined || performance.now() < this.#notBefore) return;
    this.#attempt = this.#prepare()
      .catch((error: unknown) => this.#suspend(error))
      .finally(() => {
        this.#attempt = undefined;
      });
  }

  async close(): Promise<void> {
    await this.#attempt;
    await this.#database.close();
  }

  async #prepare(): Promise<void> {
    const {coordinator, acknowledged, times, options} = this.#parts;
    const limits = {patience: times.check, response: times.check, retries: false};
    const failures = this.#failures;
    const here = await identify(this.#database, this.#node.probe, limits);
    const there = await identify(coordinator, this.#node.probe, limits);
    // The cluster's name for a worker, such as `localhost`, may be that of another server here.
    if (here !== there) {
      const server = describeHost(this.#node);
      throw new StoreError(
        'misconfigured',
        `The server at ${server} is not the one that the coordinator reaches at this address.`,
      );
    }
    if (this.hasFailed) await coordinator.transaction((run) => acknowledged.compare(run));
    // The connections were lost again meanwhile.
    if (this.#failures > failures) return;
    if (this.hasFailed) {
      options.log.info(this.#details, 'statements for a worker go to it directly again');
    }
    this.#failures = 0;
    this.#isReady = true;
  }

  #suspend(error: unknown): void {
    this.#isReady = false;
    this.#notBefore =
      performance.now() + Math.min(backoff.first * 2 ** this.#failures, backoff.last);
    this.#failures += 1;
    if (this.#failures > 1) return;
    this.#parts.options.log.warn(
      {...this.#details, reason: errorMessage(error)},
      'statements for a worker go through the coordinator',
    );
  }

  get #details(): {readonly node: number; readonly server: string} {
    return {node: this.#node.id, server: describeHost(this.#node)};
  }
}
