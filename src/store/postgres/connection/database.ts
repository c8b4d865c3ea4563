import {setTimeout as delay} from 'node:timers/promises';
import pLimit, {type LimitFunction} from 'p-limit';
import pg from 'pg';
import {pauseBefore} from '../../../domain/backoff.js';
import {StoreError} from '../../store.js';
import type {Connected, PrimaryPool} from './primary-pool.js';
import {type Run, runOn, type Statement} from './run.js';
import {type StatementError, toOpeningError, toStatementError} from './statement-error.js';
import type {TimeLimits} from './time-limits.js';

/** Maximum number of operations waiting for a connection; in a longer queue they would time out. */
const queueLength = 2000;

/** Milliseconds by which the time limit of the server is shorter than ours. */
const grace = 1000;

/** Milliseconds after which to try again whether the server accepts more connections. */
const narrowFor = 1000;

const backoff = {first: 20, longest: 300, jitter: [0, 1]} as const;

/** Limits of one statement. */
export type StatementLimits = Pick<TimeLimits, 'patience' | 'response'>;

/** Runs statements, and retries those that fail with a transient error for a while. */
export class Database {
  readonly #primary: PrimaryPool;
  readonly #times: TimeLimits;
  /** Allows as many operations at once as there are connections, so that none waits inside the pool. */
  readonly #turns: LimitFunction;
  readonly #connections: number;
  #widenAt = Number.POSITIVE_INFINITY;
  readonly #onCommit: ((seconds: number) => void) | undefined;

  /** @param onCommit called with the time that each change took until it was committed */
  constructor(
    primary: PrimaryPool,
    connections: number,
    times: TimeLimits,
    onCommit?: (seconds: number) => void,
  ) {
    this.#primary = primary;
    this.#times = times;
    this.#onCommit = onCommit;
    this.#connections = connections;
    this.#turns = pLimit(connections);
  }

  /** Milliseconds that an operation waits, for connections or for operations before it. */
  get patience(): number {
    return this.#times.patience;
  }

  /**
   * Runs one statement in its own transaction.
   *
   * @throws StoreError when the database does not execute it
   */
  query<Row extends pg.QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] = [],
    {patience, response}: StatementLimits = this.#times,
  ): Promise<readonly Row[]> {
    return this.#attempt({patience}, (client) => runOn(client, response)<Row>(statement, values));
  }

  /**
   * Runs one statement that changes data; resolves when the change is committed.
   *
   * @throws StoreError when the database does not execute it
   */
  async change<Row extends pg.QueryResultRow>(
    ...statement: Parameters<typeof this.query>
  ): Promise<readonly Row[]> {
    const [text, values, {patience, response} = this.#times] = statement;
    const startedAt = performance.now();
    const rows = await this.#attempt({patience}, (client) =>
      watchCommit(client, async (begin) => {
        // A single statement is committed after its result.
        client.connection.once('commandComplete', begin);
        try {
          return await runOn(client, response)<Row>(text, values);
        } finally {
          client.connection.off('commandComplete', begin);
        }
      }),
    );
    this.#onCommit?.((performance.now() - startedAt) / 1000);
    return rows;
  }

  /**
   * Runs work in one transaction, which may read all records and take long. After a transient error it
   * is run again from the start.
   *
   * @throws StoreError when the database is not available, and any error of the work
   */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const {long} = this.#times;
    return this.#attempt(this.#times, (client) =>
      inTransaction(client, long + grace, async (run) => {
        await run(`SET LOCAL statement_timeout = ${long}`);
        await run('SET LOCAL lock_timeout = 0');
        return work(run);
      }),
    );
  }

  /**
   * Runs short statements that change data in one transaction; resolves when it is committed.
   *
   * @throws StoreError when the database is not available, and any error of the work
   */
  async changeTogether<T>(
    work: (run: Run) => Promise<T>,
    {retries = true}: {readonly retries?: boolean} = {},
  ): Promise<T> {
    const startedAt = performance.now();
    const {patience, response} = this.#times;
    const result = await this.#attempt({patience, retries}, (client) =>
      inTransaction(client, response, work),
    );
    this.#onCommit?.((performance.now() - startedAt) / 1000);
    return result;
  }

  close(): Promise<void> {
    return this.#primary.close();
  }

  async #attempt<T>(
    {patience, retries = true}: {readonly patience: number; readonly retries?: boolean},
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    if (this.#turns.pendingCount >= queueLength) throw overloaded();
    this.#widen();
    const deadline = performance.now() + patience;
    let last: StoreError | undefined;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#try(deadline, work, last);
      if (!('kind' in outcome)) return outcome.result;
      const pause = pauseBefore(attempt, backoff, Math.random());
      const isOver = !retries || performance.now() + pause >= deadline;
      if (outcome.kind === 'final' || isOver) throw outcome.error;
      last = outcome.error;
      await delay(pause);
    }
  }

  /** @param last why the attempt before this one failed */
  async #try<T>(
    deadline: number,
    work: (client: pg.PoolClient) => Promise<T>,
    last: StoreError | undefined,
  ): Promise<StatementError | {readonly result: T}> {
    let to: Connected;
    try {
      to = await this.#primary.connect(deadline);
    } catch (error) {
      return toStatementError(error, '');
    }
    const outcome = await this.#turns(() => {
      // It timed out in the queue, so keep the connections.
      if (performance.now() > deadline)
        return {kind: 'final', error: last ?? overloaded()} as const;
      return this.#runOn(to, work);
    });
    if ('kind' in outcome && outcome.kind === 'connection') {
      this.#primary.invalidate(to, outcome.error);
    }
    return outcome;
  }

  async #runOn<T>(
    {pool, server}: Connected,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<StatementError | {readonly result: T}> {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      const failure = toOpeningError(error, server, pool.totalCount > 0);
      if (failure.kind === 'transient') this.#narrow(pool.totalCount);
      return failure;
    }
    try {
      const result = await work(client);
      client.release();
      return {result};
    } catch (error) {
      // After a rejected statement the connection can be reused. Within a transaction, or without a
      // response, close it so that the server stops the work too.
      const isRejected = error instanceof pg.DatabaseError && error.severity !== 'FATAL';
      client.release(!isRejected || client.getTransactionStatus() !== 'I');
      return toStatementError(error, server);
    }
  }

  /** While the server accepts no more connections, operations wait for those that it has accepted. */
  #narrow(connections: number): void {
    this.#turns.concurrency = Math.max(1, connections);
    this.#widenAt = performance.now() + narrowFor;
  }

  #widen(): void {
    if (performance.now() < this.#widenAt) return;
    this.#turns.concurrency = this.#connections;
    this.#widenAt = Number.POSITIVE_INFINITY;
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  timeout: number,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  return watchCommit(client, async (begin) => {
    await client.query('BEGIN');
    const result = await work(runOn(client, timeout));
    begin();
    await client.query('COMMIT');
    return result;
  });
}

/** The class of SQLSTATEs of warnings, and statement_completion_unknown. */
const warning = /^01/;
const completionUnknown = '40003';

/**
 * Rejects when the server acknowledges a commit with a warning, because such a change may be missing
 * elsewhere: on a Citus worker that was lost between the two phases of the commit, or on a synchronous standby
 * that the server stopped waiting for.
 *
 * @param work calls its argument when the commit begins
 */
async function watchCommit<T>(
  client: pg.PoolClient,
  work: (begin: () => void) => Promise<T>,
): Promise<T> {
  let commits = false;
  const warnings: string[] = [];
  const note = ({
    code = '',
    message = '',
  }: {
    code?: string | undefined;
    message?: string | undefined;
  }) => {
    if (commits && warning.test(code)) warnings.push(message);
  };
  client.on('notice', note);
  try {
    const result = await work(() => {
      commits = true;
    });
    if (warnings.length === 0) return result;
    const text = `the commit is not certain: ${warnings.join('; ')}`;
    throw Object.assign(new pg.DatabaseError(text, text.length, 'error'), {
      code: completionUnknown,
    });
  } finally {
    client.off('notice', note);
  }
}

function overloaded(): StoreError {
  return new StoreError('unavailable', 'Too many operations wait for the database.');
}
