import {setTimeout as delay} from 'node:timers/promises';
import {tokenRetentionDays} from '../../domain/activation.js';
import {day} from '../../domain/time.js';
import type {StoreLog} from '../store.js';
import type {Database} from './connection/database.js';
import {statements} from './statements.js';

/** Milliseconds for which a token is kept after its expiry. */
const retention = tokenRetentionDays * day;

/** Milliseconds between two rounds, and maximum number of tokens that one statement deletes. */
const interval = 60 * 60 * 1000;
const perStatement = 1000;

/** Deletes tokens that expired long ago. Any process may do it. */
export class Housekeeping {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #log: StoreLog;
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
    const before = this.#now() - retention;
    let forgotten: readonly unknown[];
    do {
      forgotten = await this.#database.change(statements.forgetTokens, [before, perStatement]);
    } while (forgotten.length === perStatement && !this.#stop.signal.aborted);
  }
}
