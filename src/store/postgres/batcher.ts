import {setImmediate} from 'node:timers/promises';
import {StoreError} from '../store.js';

/** Where the items of a key are worked on. */
export interface Route {
  /** Items of one group go into one batch. */
  readonly group: number;
  /** Batches of one lane are worked on one after the other, the oldest first. */
  readonly lane: number;
}

/** What a batcher needs. */
export interface BatcherOptions<Item, Result> {
  /** Does the work for many items at once, and gives the result of each key that has one. */
  readonly run: (items: ReadonlyMap<string, Item>) => Promise<ReadonlyMap<string, Result>>;
  /** Merges two items with the same key. */
  readonly merge: (earlier: Item, later: Item) => Item;
  /** Items in one batch, at most. */
  readonly size: number;
  /** Items that wait, at most. */
  readonly capacity: number;
  /** Without it all items are of one group and one lane. */
  readonly route?: ((item: Item) => Route) | undefined;
}

/** The items that will be worked on together. */
interface Batch<Item, Result> {
  readonly group: number;
  readonly items: Map<string, Item>;
  readonly results: Promise<ReadonlyMap<string, Result>>;
  readonly start: () => Promise<void>;
}

interface Lane<Item, Result> {
  readonly waiting: Batch<Item, Result>[];
  isRunning: boolean;
}

const onlyRoute: Route = {group: 0, lane: 0};

/**
 * Combines many calls into one statement. Calls that arrive while a statement is running wait for the
 * next one, so that a batch waits no longer than one statement takes, and under load carries all waiting
 * calls. Calls with the same key in one batch are merged.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #lanes = new Map<number, Lane<Item, Result>>();
  /** The batch of each group that still takes items. */
  readonly #open = new Map<number, Batch<Item, Result>>();
  /** Items that wait. */
  #waiting = 0;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /**
   * The result for a key, from a batch that starts after this call; undefined when it has none.
   *
   * @throws StoreError when too many wait, and whatever `run` throws
   */
  async call(key: string, item: Item): Promise<Result | undefined> {
    const {items, results} = this.#batchFor(key, item);
    const earlier = items.get(key);
    if (earlier === undefined) this.#waiting += 1;
    items.set(key, earlier === undefined ? item : this.#options.merge(earlier, item));
    return (await results).get(key);
  }

  #batchFor(key: string, item: Item): Batch<Item, Result> {
    const {size, capacity, route} = this.#options;
    const {group, lane} = route?.(item) ?? onlyRoute;
    const open = this.#open.get(group);
    if (open?.items.has(key)) return open;
    if (this.#waiting >= capacity) {
      throw new StoreError('unavailable', 'Too many operations wait for the database.');
    }
    return open !== undefined && open.items.size < size ? open : this.#addBatch(group, lane);
  }

  #addBatch(group: number, number: number): Batch<Item, Result> {
    const items = new Map<string, Item>();
    let start = async (): Promise<void> => {};
    const results = new Promise<ReadonlyMap<string, Result>>((resolve, reject) => {
      start = () => this.#options.run(items).then(resolve, reject);
    });
    const batch = {group, items, results, start};
    this.#open.set(group, batch);
    const lane = this.#lanes.get(number) ?? {waiting: [], isRunning: false};
    this.#lanes.set(number, lane);
    lane.waiting.push(batch);
    if (!lane.isRunning) void this.#work(lane);
    return batch;
  }

  /** Works on the batches of a lane until none waits. A batch takes items until its turn comes. */
  async #work(lane: Lane<Item, Result>): Promise<void> {
    lane.isRunning = true;
    while (lane.waiting.length > 0) {
      // What the sockets hold by then is read before the batch starts, and so is in it.
      await setImmediate();
      const batch = lane.waiting.shift();
      if (batch === undefined) break;
      if (this.#open.get(batch.group) === batch) this.#open.delete(batch.group);
      this.#waiting -= batch.items.size;
      await batch.start();
    }
    lane.isRunning = false;
  }
}
