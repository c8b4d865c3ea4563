import {setTimeout as delay} from 'node:timers/promises';
import pLimit, {type LimitFunction} from 'p-limit';
import pg from 'pg';
import {StoreError} from '../store.js';
import {type Failure, toFailure} from './failures.js';
import type {Connected, Link} from './link.js';
import type {TimeLimits} from './time-limits.js';

/**
 * A statement that each connection prepares once. It may be repeated: when the connection is lost
 * nobody knows whether it took effect, and it is then run again.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs a statement and gives its rows; columns have the names of the domain. */
export type Run = <Row extends pg.QueryResultRow>(
  statement: Statement | string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** Operations that wait for a connection, at most; a longer queue would only answer too late. */
const queueLength = 2000;

/** Milliseconds by which the server's own time limit comes before ours. */
const grace = 1000;

/** Pauses between attempts in milliseconds: random below the first, which doubles up to the second. */
const backoff = {first: 20, last: 300} as const;

/** The database, as statements see it: those that fail in passing are tried again for a while. */
export class Database {
  readonly #link: Link;
  readonly #times: TimeLimits;
  /** As many at once as there are connections, so that none waits inside the pool. */
  readonly #turns: LimitFunction;
  readonly #onCommit: ((seconds: number) => void) | undefined;

  /** @param onCommit told how long each change took until it was committed */
  constructor(
    link: Link,
    connections: number,
    times: TimeLimits,
    onCommit?: (seconds: number) => void,
  ) {
    this.#link = link;
    this.#times = times;
    this.#onCommit = onCommit;
    this.#turns = pLimit(connections);
  }

  /**
   * Runs one statement, which is its own transaction.
   *
   * @throws StoreError when the database does not serve it
   */
  query<Row extends pg.QueryResultRow>(
    {name, text}: Statement,
    values: readonly unknown[] = [],
    {patience, response}: Pick<TimeLimits, 'patience' | 'response'> = this.#times,
  ): Promise<readonly Row[]> {
    return this.#attempt(patience, async (client) => {
      const query = {name, text, values: [...values], query_timeout: response};
      const {rows} = await client.query<Row>(query);
      return rows;
    });
  }

  /**
   * Runs one statement that changes something; resolves when that is committed.
   *
   * @throws StoreError when the database does not serve it
   */
  async change<Row extends pg.QueryResultRow>(
    ...statement: Parameters<typeof this.query>
  ): Promise<readonly Row[]> {
    const startedAt = performance.now();
    const rows = await this.query<Row>(...statement);
    this.#onCommit?.((performance.now() - startedAt) / 1000);
    return rows;
  }

  /**
   * Does some work in one transaction, which may go over all records and take long. The work is done
   * again from its beginning when it failed in passing.
   *
   * @throws StoreError when the database does not serve it, and whatever the work throws
   */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const {patience, long} = this.#times;
    return this.#attempt(patience, (client) => inTransaction(client, long, work));
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #attempt<T>(patience: number, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#turns.pendingCount >= queueLength) throw overloaded();
    const deadline = performance.now() + patience;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#try(deadline, work);
      if (!('kind' in outcome)) return outcome.result;
      const pause = Math.random() * Math.min(backoff.first * 2 ** attempt, backoff.last);
      if (outcome.kind === 'final' || performance.now() + pause >= deadline) throw outcome.error;
      await delay(pause);
    }
  }

  async #try<T>(
    deadline: number,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<Failure | {readonly result: T}> {
    let connected: Connected | undefined;
    try {
      const to = await this.#link.connect(deadline);
      connected = to;
      return await this.#turns(async () => {
        // Its time went by in the queue: that says nothing about the connections.
        if (performance.now() > deadline) return {kind: 'final', error: overloaded()};
        return {result: await withClient(to.pool, work)};
      });
    } catch (error) {
      const failure = toFailure(error, connected?.server ?? '');
      if (connected !== undefined && failure.kind === 'connection') {
        this.#link.lose(connected, failure.error);
      }
      return failure;
    }
  }
}

async function withClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    // After a refused statement the connection is good; within a transaction, or when nobody
    // answered, its end is what ends the work on the other side too.
    client.release(!(error instanceof pg.DatabaseError) || client.getTransactionStatus() !== 'I');
    throw error;
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  timeout: number,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  await client.query('BEGIN');
  await client.query(`SET LOCAL statement_timeout = ${timeout}`);
  const result = await work(
    async <Row extends pg.QueryResultRow>(
      statement: Statement | string,
      values: readonly unknown[] = [],
    ) => {
      const query = typeof statement === 'string' ? {text: statement} : statement;
      const more = {values: [...values], query_timeout: timeout + grace};
      const {rows} = await client.query<Row>({...query, ...more});
      return rows;
    },
  );
  await client.query('COMMIT');
  return result;
}

function overloaded(): StoreError {
  return new StoreError('unavailable', 'Too many operations wait for the database.');
}
