import {setTimeout as delay} from 'node:timers/promises';
import {tokenRetentionDays, unusedTokenRetention} from '../../domain/activation.js';
import {day, minute} from '../../domain/time.js';
import type {StoreLog} from '../store.js';
import type {Database} from './connection/database.js';
import type {Statement} from './connection/run.js';
import {statements} from './statements.js';

/** Milliseconds for which a used token is kept after its expiry. */
const retention = tokenRetentionDays * day;

/** Milliseconds between two rounds, and maximum number of tokens that one statement deletes. */
const interval = 10 * minute;
const perStatement = 1000;

/** Deletes tokens that expired long ago. Any process may do it. */
export class Housekeeping {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #log: StoreLog;
  /** No unused token that expired before this time is left, in milliseconds since the Unix epoch. */
  #unusedBefore = 0;
  readonly #stop = new AbortController();
  readonly #stopped: Promise<void>;

  constructor(database: Database, now: () => number, log: StoreLog) {
    this.#database = database;
    this.#now = now;
    this.#log = log;
    this.#stopped = this.#work();
  }

  /** Stops; resolves when a running round has ended. */
  stop(): Promise<void> {
    this.#stop.abort();
    return this.#stopped;
  }

  async #work(): Promise<void> {
    const {signal} = this.#stop;
    while (!signal.aborted) {
      await this.#forgetTokens().catch((error: unknown) => {
        this.#log.warn({err: error}, 'cannot delete old tokens; retrying later');
      });
      await delay(interval, undefined, {signal, ref: false}).catch(() => {});
    }
  }

  async #forgetTokens(): Promise<void> {
    const now = this.#now();
    await this.#deleteAll(statements.forgetTokens, [now - retention, perStatement]);
    const unused = now - unusedTokenRetention;
    const values = [unused, perStatement, Math.min(this.#unusedBefore, unused)];
    await this.#deleteAll(statements.forgetUnusedTokens, values);
    this.#unusedBefore = unused;
  }

  /** Repeats a statement that deletes a limited number of rows, until it finds fewer. */
  async #deleteAll(statement: Statement, values: readonly unknown[]): Promise<void> {
    let deleted: readonly unknown[];
    do {
      deleted = await this.#database.change(statement, values);
    } while (deleted.length === perStatement && !this.#stop.signal.aborted);
  }
}
