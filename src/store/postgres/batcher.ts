import {setImmediate} from 'node:timers/promises';
import {StoreError} from '../store.js';
import type {TimeLimits} from './database.js';

/** Maximum number of items in a batch. */
const size = 1000;
/** Maximum number of waiting items. */
const capacity = 20_000;
/** Batches at the same time: PostgreSQL syncs simultaneous commits together. */
const lanes = 4;

interface Waiting<Item, Result> {
  readonly item: Item;
  /** Milliseconds on the monotonic clock. */
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs a batch. @returns a function that finds the result of an item */
export type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<(item: Item) => Result>;

/**
 * Combines simultaneous requests into few statements. Requests that arrive while `lanes` batches run wait for the next
 * batch, which takes up to `size` of them: usually all, so that none waits longer than one batch takes. So each batch
 * sees what was committed before its requests arrived.
 */
export class Batcher<Item, Result> {
  readonly #times: TimeLimits;
  readonly #run: RunBatch<Item, Result>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #working = 0;

  constructor(times: TimeLimits, run: RunBatch<Item, Result>) {
    this.#times = times;
    this.#run = run;
  }

  /** @throws StoreError when the batch fails or does not begin in time, or too many items wait */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= capacity) return reject(busy());
      this.#waiting.push({item, since: performance.now(), resolve, reject});
      if (this.#working < lanes) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working += 1;
    while (this.#waiting.length > 0) {
      // Read pending requests from the sockets first, so that they join the batch.
      await setImmediate();
      await this.#runBatch(this.#waiting.splice(0, size));
    }
    this.#working -= 1;
  }

  async #runBatch(taken: readonly Waiting<Item, Result>[]): Promise<void> {
    const earliest = performance.now() - this.#times.retryPeriod;
    if (taken.length === 0) return;
    const batch = taken.filter(({since, reject}) => since >= earliest || reject(busy()));
    try {
      const resultOf = await this.#run(batch.map(({item}) => item));
      for (const {item, resolve} of batch) resolve(resultOf(item));
    } catch (error) {
      for (const {reject} of batch) reject(error);
    }
  }
}

function busy(): StoreError {
  return new StoreError('unavailable', 'Earlier requests keep the database busy for too long.');
}
