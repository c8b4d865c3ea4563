import {setTimeout as delay} from 'node:timers/promises';
import type {ConnectionOptions} from 'node:tls';
import pg from 'pg';
import {StoreError, type StoreLog} from '../../store.js';
import {describeHost, type Host, type PostgresLocation} from './location.js';
import {type Run, runOn} from './run.js';
import {toOpeningError, toStatementError} from './statement-error.js';
import type {TimeLimits} from './time-limits.js';
import {chooseTls, type Tls} from './tls.js';

/** Milliseconds after which an idle connection is closed, and after which it is probed. */
const idle = {close: 60_000, probe: 10_000} as const;

/** Milliseconds between two rounds through the hosts. */
const roundPause = 100;

/** Connections to the server that accepts writes. */
export interface Connected {
  readonly pool: pg.Pool;
  /** Describes the server in messages. */
  readonly server: string;
}

/** Reads bigint columns as numbers: they hold times in milliseconds, far below 2^53. */
const bigint = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (id === bigint ? Number : pg.types.getTypeParser(id, format)),
};

/** Options of a pool. */
interface PrimaryPoolOptions {
  readonly location: PostgresLocation;
  readonly tls: ConnectionOptions;
  readonly times: TimeLimits;
  readonly log: StoreLog;
  /**
   * Called with the first connection to each server, and after the primary was found again, before any other
   * use of that connection.
   *
   * @param isBack whether the store used a server before
   * @throws StoreError when the store must not use this one
   */
  readonly onServer?: ((run: Run, server: string, isBack: boolean) => Promise<void>) | undefined;
}

/**
 * A pool of connections to the primary, the one server that accepts writes. When the primary is lost,
 * one search through all hosts serves all waiting callers.
 */
export class PrimaryPool {
  readonly #options: PrimaryPoolOptions;
  #connected: Connected | undefined;
  #search: Promise<Connected> | undefined;
  /** Index of the host to try first. */
  #first: number;
  /** The reason for the last disconnect; undefined while connected. */
  #lost: StoreError | undefined;
  #notBefore = 0;
  #closed = false;
  /** The servers of all connections so far, each by the time of its start. */
  readonly #servers = new Set<string>();
  readonly #clients = new Set<pg.Client>();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: PrimaryPoolOptions) {
    this.#options = options;
    const {hosts, startsAnywhere} = options.location;
    this.#first = startsAnywhere ? Math.floor(Math.random() * hosts.length) : 0;
  }

  /**
   * Returns the connections, and waits for them until the deadline (by `performance.now`); the search
   * continues after it.
   *
   * @throws StoreError when no host accepts writes, with the error of each host
   */
  async connect(deadline: number): Promise<Connected> {
    if (this.#connected !== undefined) return this.#connected;
    this.#search ??= this.#findPrimary().finally(() => {
      this.#search = undefined;
    });
    const timer = new AbortController();
    const late = delay(Math.max(0, deadline - performance.now()), undefined, timer).then(() => {
      throw (
        this.#lost ??
        new StoreError(
          'unavailable',
          'No server of the database that accepts writes has been found yet.',
        )
      );
    });
    try {
      return await Promise.race([this.#search, late]);
    } finally {
      timer.abort();
    }
  }

  /** Discards connections that failed. The next caller starts a new search for the primary. */
  invalidate(lost: Connected, reason: StoreError): void {
    if (this.#connected !== lost) return;
    this.#connected = undefined;
    this.#lost = reason;
    // Another host is more likely to accept writes now than the one that failed.
    const {location, log} = this.#options;
    this.#first = (this.#first + 1) % location.hosts.length;
    log.warn({server: lost.server, reason: reason.message}, 'lost the connection to the database');
    this.#end(lost.pool);
  }

  /** Closes all connections when their work is done. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#search?.catch(() => {});
    if (this.#connected !== undefined) this.#end(this.#connected.pool);
    this.#connected = undefined;
    // A server that stops responding would keep its connections, and this process, open for long.
    const cut = setTimeout(() => {
      for (const {connection} of this.#clients) connection.stream.destroy();
    }, this.#options.times.shutdown);
    await Promise.all(this.#ending);
    clearTimeout(cut);
  }

  #end(pool: pg.Pool): void {
    const ended = pool.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  async #findPrimary(): Promise<Connected> {
    await delay(Math.max(0, this.#notBefore - performance.now()));
    const {hosts} = this.#options.location;
    const reasons: StoreError[] = [];
    for (let offset = 0; offset < hosts.length && !this.#closed; offset += 1) {
      const index = (this.#first + offset) % hosts.length;
      const host = hosts[index];
      if (host === undefined) continue;
      try {
        const connected = await this.#open(host);
        this.#first = index;
        return connected;
      } catch (cause) {
        const {error} = toOpeningError(cause, describeHost(host), false);
        // A wrong password or a programming error does not mean that the host is down.
        const isOfHost =
          error instanceof StoreError && (error.kind === 'unavailable' || error === cause);
        if (!isOfHost) throw error;
        reasons.push(error);
      }
    }
    this.#notBefore = performance.now() + roundPause;
    const mayPass = reasons.some(({kind}) => kind === 'unavailable');
    this.#lost = new StoreError(
      mayPass ? 'unavailable' : 'misconfigured',
      reasons.map(({message}) => message).join(' '),
    );
    throw this.#lost;
  }

  async #open(host: Host): Promise<Connected> {
    const {location, tls: options, log} = this.#options;
    const server = describeHost(host);
    const tls = await chooseTls(host, location, options);
    const pool = new pg.Pool(this.#configure(host, tls));
    const connected = {pool, server};
    pool.on('connect', (client) => {
      this.#clients.add(client);
      // A connection in use reports its loss through the statement that fails.
      client.on('error', () => {});
    });
    pool.on('remove', (client) => this.#clients.delete(client));
    // The loss of an idle connection is reported here only.
    pool.on('error', (error) => {
      const failure = toStatementError(error, server);
      if (failure.kind === 'connection') this.invalidate(connected, failure.error);
    });
    try {
      (await pool.connect()).release();
    } catch (error) {
      this.#end(pool);
      throw error;
    }
    this.#connected = connected;
    if (this.#lost !== undefined) log.info({server}, 'reconnected to the database');
    this.#lost = undefined;
    return connected;
  }

  #configure({host, port}: Host, tls: Tls): pg.PoolConfig {
    const {location, times} = this.#options;
    const {user, password, database, applicationName, options} = location;
    return {
      host,
      port,
      user,
      password,
      database,
      options,
      application_name: applicationName,
      ssl: tls,
      max: location.poolSize,
      connectionTimeoutMillis: location.connectTimeout,
      idleTimeoutMillis: idle.close,
      // Default for queries without a time limit.
      query_timeout: times.response,
      keepAlive: true,
      keepAliveInitialDelayMillis: idle.probe,
      types,
      onConnect: (client) => this.#prepare(client, describeHost({host, port})),
    };
  }

  async #prepare(client: pg.ClientBase, server: string): Promise<void> {
    const {times, onServer} = this.#options;
    const startedAt = await prepareSession(client, server, times);
    // Behind one address, another server may answer without an error before it.
    if (this.#servers.has(startedAt) && this.#lost === undefined) return;
    await onServer?.(runOn(client, times.check), server, this.#servers.size > 0);
    this.#servers.add(startedAt);
  }
}

/** Sets up a new connection, and makes sure that its server accepts writes. @returns when the server started */
async function prepareSession(
  client: pg.ClientBase,
  server: string,
  times: TimeLimits,
): Promise<string> {
  // Acknowledged writes must be durable even if the database defaults to asynchronous commits.
  await client.query(
    `SELECT set_config('synchronous_commit', 'on', false)
     WHERE current_setting('synchronous_commit') = 'off';
     -- A warning shows that a commit is not certain.
     SET client_min_messages = warning;
     -- Citus: one connection to each worker. More would be opened for each statement that takes longer
     -- than 10 ms, closed after it, and each be a part of a two-phase commit.
     SELECT set_config('citus.max_adaptive_executor_pool_size', '1', false)
     FROM pg_extension WHERE extname = 'citus';
     SET statement_timeout = ${times.statement};
     SET lock_timeout = ${times.lock};
     SET idle_in_transaction_session_timeout = ${times.idleTransaction}`,
  );
  const {rows} = await client.query<{readOnly: string; isStandby: boolean; startedAt: string}>(
    `SELECT current_setting('transaction_read_only') AS "readOnly",
       pg_is_in_recovery() AS "isStandby", pg_postmaster_start_time()::text AS "startedAt"`,
  );
  const [state] = rows;
  if (state?.readOnly === 'off') return state.startedAt;
  const reason = state?.isStandby
    ? 'it is a standby'
    : 'default_transaction_read_only is on for this role, database or server';
  throw new StoreError('unavailable', `The database at ${server} accepts no writes: ${reason}.`);
}
