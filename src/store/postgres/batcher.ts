import {setImmediate} from 'node:timers/promises';
import {StoreError} from '../store.js';

/** What a batcher is told. */
export interface BatcherOptions<Item, Result> {
  /** Does the work for many items at once, and gives the result of each key that has one. */
  readonly run: (items: ReadonlyMap<string, Item>) => Promise<ReadonlyMap<string, Result>>;
  /** Makes one item of two with the same key. */
  readonly merge: (earlier: Item, later: Item) => Item;
  /** Items in one batch, at most. */
  readonly size: number;
  /** Items that wait, at most. */
  readonly capacity: number;
}

/** The items that will be worked on together. */
interface Batch<Item, Result> {
  readonly items: Map<string, Item>;
  readonly results: Promise<ReadonlyMap<string, Result>>;
}

/**
 * Makes one statement of many calls: those that come while one is under way wait for the next. So a
 * window is as short as the database is fast, and under load a statement carries all who wait. Calls
 * with the same key in one window are one.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #waiting: Batch<Item, Result>[] = [];
  /** Resolves when the last of the batches is done, however it went. */
  #done: Promise<void> = Promise.resolve();

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /**
   * The result for a key, from a batch that starts after this call; undefined when it has none.
   *
   * @throws StoreError when too many wait, and whatever `run` throws
   */
  async call(key: string, item: Item): Promise<Result | undefined> {
    const {items, results} = this.#batchFor(key);
    const earlier = items.get(key);
    items.set(key, earlier === undefined ? item : this.#options.merge(earlier, item));
    return (await results).get(key);
  }

  #batchFor(key: string): Batch<Item, Result> {
    const {size, capacity} = this.#options;
    const last = this.#waiting.at(-1);
    if (last !== undefined && (last.items.size < size || last.items.has(key))) return last;
    if (this.#waiting.length * size >= capacity) {
      throw new StoreError('unavailable', 'Too many operations wait for the database.');
    }
    return this.#addBatch();
  }

  #addBatch(): Batch<Item, Result> {
    const items = new Map<string, Item>();
    // What the sockets hold by then is read before the batch starts, and so is in it.
    const results = this.#done
      .then(() => setImmediate())
      .then(() => {
        this.#waiting.shift();
        return this.#options.run(items);
      });
    const settled = (): void => {};
    this.#done = results.then(settled, settled);
    const batch = {items, results};
    this.#waiting.push(batch);
    return batch;
  }
}
