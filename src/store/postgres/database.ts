import {Socket} from 'node:net';
import type {Writable} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import type {ConnectionOptions} from 'node:tls';
import pg from 'pg';
import readPasswordFile from 'pgpass';
import {repeat} from '../../domain/backoff.js';
import {AddressPatience} from '../../system/address-patience.js';
import type {StoreOptions} from '../store.js';
import {explainDatabaseError, isResponse, TransientError} from './database-error.js';
import {describeLocation, type PostgresLocation, readTls} from './location.js';

/** Time limits in milliseconds. With these, a request usually ends before our client's ten-second timeout. */
export const defaultTimeLimits = {
  /** For a statement, enforced by the server. */
  statement: 5000,
  /** For a lock that a statement waits for, enforced by the server. */
  lock: 2000,
  /** For a statement that reads or writes many records. */
  long: 60_000,
  /** For a response, in case the server stops responding. */
  response: 6000,
  /** For a response to a readiness check. */
  check: 2000,
  /** For a request to cancel a session's statement. */
  cancel: 500,
  /** For the work in progress when the store is closed; then connections are cut. */
  shutdown: 2000,
  /** For the wait for a transaction's next statement, enforced by the server. */
  idleTransaction: 10_000,
  /** For retries after transient errors, and for the wait of a heartbeat or a lookup for its batch. */
  retryPeriod: 2000,
};

export type TimeLimits = Readonly<typeof defaultTimeLimits>;

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs a statement and returns its rows; columns are named like the fields of the domain. */
export type Run = <Row extends pg.QueryResultRow>(
  statement: Statement | string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** Members of the driver's clients and connections that its types lack. */
interface Session {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: {readonly stream: Writable};
}
interface Canceling extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

interface DatabaseOptions extends Pick<StoreOptions, 'log' | 'onWrite'> {
  readonly times?: TimeLimits;
}

/** Milliseconds after which an idle connection is closed, and after which it is probed. */
const idle = {close: 60_000, probe: 10_000} as const;

const backoff = {first: 20, longest: 300, jitter: [0, 1]} as const;

/** Reads bigint columns as numbers: they hold times in milliseconds, counts and sizes, far below 2^53. */
const bigint = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (id === bigint ? Number : pg.types.getTypeParser(id, format)),
};

/** Connections to a database. Work that fails with a transient error is retried for a while, on another connection. */
export class Database {
  /** The location of the database without the login, for messages. */
  readonly name: string;
  readonly times: TimeLimits;
  readonly #pool: pg.Pool;
  readonly #options: DatabaseOptions;
  readonly #location: PostgresLocation;
  readonly #tls: ConnectionOptions | false;
  readonly #sockets = new Set<Socket>();
  readonly #patience = new AddressPatience();
  readonly #working = new Set<pg.PoolClient>();
  /** The last warning of each connection since its current change began. */
  readonly #warnings = new WeakMap<pg.ClientBase, Error>();
  #state: 'new' | 'connected' | 'lost' = 'new';

  constructor(location: PostgresLocation, options: DatabaseOptions) {
    const {connectTimeout, poolSize, applicationName, settings: _, ...server} = location;
    const {times = defaultTimeLimits} = options;
    this.name = describeLocation(location);
    this.times = times;
    this.#options = options;
    this.#location = location;
    this.#tls = readTls(location);
    this.#pool = new pg.Pool({
      ...server,
      // The driver's own reader of libpq's password file is deprecated, and logs a warning.
      password: server.password ?? (process.env['PGPASSWORD'] || passwordOfFile),
      application_name: applicationName,
      ssl: this.#tls,
      max: poolSize,
      connectionTimeoutMillis: Math.max(connectTimeout, times.retryPeriod),
      idleTimeoutMillis: idle.close,
      // Statements do not wait for responses to earlier ones; `#runOn` sets the time limit of each.
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: idle.probe,
      types,
      stream: () => this.#openSocket(),
      onConnect: (client) => prepareSession(client, this.name, times),
    });
    this.#pool.on('connect', (client) => {
      // A connection in use reports its loss through the statement that fails.
      client.on('error', () => {});
      client.on('notice', ({code, message = ''}) => {
        if (!code?.startsWith('01')) return;
        this.#warnings.set(
          client,
          Object.assign(new pg.DatabaseError(message, 0, 'error'), {code}),
        );
      });
    });
    // The pool itself removes an idle connection that was lost.
    this.#pool.on('error', () => {});
  }

  /**
   * Runs one statement that reads.
   *
   * @throws the result of `explainDatabaseError` when the database does not execute it
   */
  query<Row extends pg.QueryResultRow>(
    statement: Statement | string,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    return this.#insist((client) => this.#runOn(client)<Row>(statement, values));
  }

  /**
   * Runs one statement that writes, as one transaction. See `transaction`.
   *
   * @throws the result of `explainDatabaseError` when the database does not commit it
   */
  change<Row extends pg.QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
    response?: number,
  ): Promise<readonly Row[]> {
    return this.#write((run) => run<Row>(statement, values), response);
  }

  /**
   * Runs work in one transaction; resolves when it is committed. After a transient error it runs the work again, even
   * if the commit may have succeeded. The work need not wait for its last statements.
   *
   * @param response time limit of each response in milliseconds; default: `times.response`
   * @throws StoreError when the database is not available, and any error of the work
   */
  transaction<T>(work: (run: Run) => Promise<T>, response?: number): Promise<T> {
    return this.#write(async (run) => {
      // The isolation level that the work is written for, in place of the database's default.
      void run('BEGIN ISOLATION LEVEL READ COMMITTED');
      const result = await work(run);
      void run('COMMIT');
      return result;
    }, response);
  }

  #write<T>(work: (run: Run) => Promise<T>, response?: number): Promise<T> {
    return this.#insist(async (client) => {
      const startedAt = performance.now();
      const runOne = this.#runOn(client, response);
      const {stream} = (client as pg.PoolClient & Session).connection;
      const unanswered = new Set<Promise<unknown>>();
      const run: Run = (statement, values) => {
        // Statements that do not wait for a response go out in one system call.
        stream.cork();
        process.nextTick(() => stream.uncork());
        const rows = runOne<never>(statement, values);
        unanswered.add(rows);
        // A failed statement stays in the set, and fails the transaction.
        rows.then(
          () => unanswered.delete(rows),
          () => {},
        );
        return rows;
      };
      this.#warnings.delete(client);
      const result = await work(run);
      await Promise.all(unanswered);
      // A warning, such as that a standby may lack the commit, fails the change.
      const warning = this.#warnings.get(client);
      if (warning !== undefined) throw explainDatabaseError(warning, this.name);
      this.#options.onWrite?.((performance.now() - startedAt) / 1000);
      return result;
    });
  }

  /** Runs work that reads or writes many records in one transaction. See `transaction`. */
  longTransaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const {long} = this.times;
    return this.transaction(async (run) => {
      void run(`SET LOCAL statement_timeout = ${long}`);
      void run('SET LOCAL lock_timeout = 0');
      // A copy may read its source for a long time between two statements.
      void run('SET LOCAL idle_in_transaction_session_timeout = 0');
      void run('SET LOCAL enable_seqscan = on');
      return work(run);
    }, long);
  }

  /** Closes all connections when their work is done, or cuts them after `limit` milliseconds. */
  async close(limit = this.times.shutdown): Promise<void> {
    // A server that stops responding would keep its connections, and this process, open for a long time.
    const cut = setTimeout(async () => {
      await Promise.all([...this.#working].map((client) => this.#cancel(client)));
      for (const socket of this.#sockets) socket.destroy();
    }, limit);
    await this.#pool.end();
    clearTimeout(cut);
  }

  /** Runs work until it succeeds, fails with a lasting error, or has been retried for `retryPeriod`. */
  async #insist<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const {log} = this.#options;
    const details = {database: this.name};
    const deadline = performance.now() + this.times.retryPeriod;
    const attempt = async () => {
      const result = await this.#try(work);
      if (this.#state === 'lost') log.info(details, 'reconnected to the database');
      this.#state = 'connected';
      return result;
    };
    return repeat(attempt, {
      backoff,
      random: Math.random,
      wait: delay,
      mayRepeat: (error, _repeated, pause) => {
        if (!(error instanceof TransientError) || this.#pool.ending) return false;
        if (performance.now() + pause < deadline) return true;
        if (this.#state === 'connected') {
          log.warn({...details, reason: error.message}, 'lost the connection to the database');
          this.#state = 'lost';
        }
        return false;
      },
    });
  }

  async #try<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw explainDatabaseError(error, this.name);
    });
    this.#working.add(client);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // Closes the connection, so that the server ends the transaction.
      const ended = isResponse(error) ? Promise.resolve() : this.#cancel(client);
      void ended.then(() => client.release(true));
      throw error;
    } finally {
      this.#working.delete(client);
    }
  }

  /**
   * Asks the server to end what a session is doing, before its connection is closed. Closing alone does not end a
   * commit that waits for a lost standby: its session would keep its locks and one of `max_connections`.
   */
  #cancel(client: pg.PoolClient): Promise<unknown> {
    const {processID, secretKey} = client as pg.PoolClient & Session;
    const {host, port} = this.#location;
    const socket = this.#openSocket().setTimeout(this.times.cancel, () => socket.destroy());
    const connection = new pg.Connection({ssl: this.#tls, stream: () => socket}) as Canceling;
    const send = () => connection.cancel(processID, secretKey);
    connection.on('connect', () => (this.#tls ? connection.requestSsl() : send()));
    connection.on('sslconnect', send);
    connection.on('error', () => socket.destroy());
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
    return new Promise((resolve) => socket.once('close', resolve));
  }

  #openSocket(): Socket {
    const socket = this.#patience.watch(new Socket());
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const connect = socket.connect.bind(socket);
    // The driver calls `connect` with a port and a host, or with the path of a Unix socket.
    return Object.assign(socket, {
      connect: (port: number, host?: string) =>
        host === undefined ? connect(port) : connect({port, host, ...this.#patience.options}),
    });
  }

  #runOn(client: pg.ClientBase, response = this.times.response): Run {
    return async <Row extends pg.QueryResultRow>(
      statement: Statement | string,
      values: readonly unknown[] = [],
    ) => {
      const query = typeof statement === 'string' ? {text: statement} : statement;
      let timer: NodeJS.Timeout | undefined;
      // The driver's own limit would cut a connection before its session is canceled.
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('Query read timeout')), response);
      });
      try {
        const answer = client.query<Row>({...query, values: [...values]});
        return (await Promise.race([answer, late])).rows;
      } catch (error) {
        throw explainDatabaseError(error, this.name);
      } finally {
        clearTimeout(timer);
      }
    };
  }
}

/**
 * Settings for plans that use only indexes: the statements look rows up by keys, and an update of several rows then
 * locks them in the order of their ids, in all sessions. Different orders in two sessions could deadlock.
 */
const indexOnly = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((kind) => `SET enable_${kind} = off`)
  .join('; ');

/** Looks up the password in libpq's file. The driver passes the parameters of the connection. */
const passwordOfFile = (parameters?: object) =>
  new Promise<string>((resolve) => readPasswordFile(parameters ?? {}, resolve));

/** Sets up a new connection, and makes sure that its server accepts writes. */
async function prepareSession(client: pg.ClientBase, name: string, times: TimeLimits) {
  // Acknowledged writes must be durable even if the database defaults to asynchronous commits. The session asks for
  // warnings, because one at COMMIT shows that the commit is not certain.
  const limit = {query_timeout: times.response};
  await client.query({
    ...limit,
    text: `SELECT set_config('synchronous_commit', 'on', false)
     WHERE current_setting('synchronous_commit') = 'off';
     SET client_min_messages = warning;
     SET statement_timeout = ${times.statement};
     SET lock_timeout = ${times.lock};
     SET idle_in_transaction_session_timeout = ${times.idleTransaction};
     ${indexOnly}`,
  });
  const {rows} = await client.query<{reason: string | null}>({
    ...limit,
    text: `SELECT CASE WHEN current_setting('transaction_read_only') = 'off' THEN NULL
         WHEN pg_is_in_recovery() THEN 'it is a standby'
         ELSE 'default_transaction_read_only is on for this role, database or server' END AS reason`,
  });
  const reason = rows[0]?.reason;
  if (reason) throw new TransientError(`The database at ${name} accepts no writes: ${reason}.`);
}
