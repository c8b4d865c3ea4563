import {setImmediate} from 'node:timers/promises';
import {StoreError} from '../store.js';

/** Determines which items share a batch, and which batches run one after the other. */
export interface Route {
  /** A batch holds items of one group only. */
  readonly group: number;
  /** Batches of one lane run one after the other, oldest first. */
  readonly lane: number;
}

/** Options of a batcher. */
interface BatcherOptions<Item, Result> {
  /** Processes a batch and returns the results by key; a key may have none. */
  readonly run: (items: ReadonlyMap<string, Item>) => Promise<ReadonlyMap<string, Result>>;
  /** Merges two items with the same key. */
  readonly merge: (earlier: Item, later: Item) => Item;
  /** Maximum number of items in a batch. */
  readonly size: number;
  /** Maximum number of waiting items. */
  readonly capacity: number;
  /** Milliseconds that an item may wait for its batch to start; a later one is rejected. */
  readonly patience: number;
  /** Replaced by tests: milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  /** By default all items have the same group and lane. */
  readonly route?: ((item: Item) => Route) | undefined;
}

/** Items that are processed together. */
interface Batch<Item, Result> {
  readonly group: number;
  readonly items: Map<string, Item>;
  /** When each item came. */
  readonly since: Map<string, number>;
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
 * next one, so that a batch waits no longer than one statement takes, and under load includes all waiting
 * calls. Calls with the same key in one batch are merged.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #lanes = new Map<number, Lane<Item, Result>>();
  /** For each group, the batch that still accepts items. */
  readonly #open = new Map<number, Batch<Item, Result>>();
  /** Number of waiting items. */
  #waiting = 0;
  readonly #now: () => number;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Returns the result for a key, from a batch that starts after this call; undefined without a result.
   *
   * @throws StoreError when too many items wait or this one waited too long, and any error of `run`
   */
  async call(key: string, item: Item): Promise<Result | undefined> {
    const {items, since, results} = this.#batchFor(key, item);
    const earlier = items.get(key);
    if (earlier === undefined) {
      this.#waiting += 1;
      since.set(key, this.#now());
    }
    items.set(key, earlier === undefined ? item : this.#options.merge(earlier, item));
    const found = (await results).get(key);
    if (items.has(key)) return found;
    throw new StoreError('unavailable', 'Earlier operations keep the database busy for too long.');
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
    const since = new Map<string, number>();
    let start = async (): Promise<void> => {};
    const results = new Promise<ReadonlyMap<string, Result>>((resolve, reject) => {
      start = async () => {
        this.#removeLate(items, since);
        if (items.size === 0) return resolve(new Map());
        await this.#options.run(items).then(resolve, reject);
      };
    });
    const batch = {group, items, since, results, start};
    this.#open.set(group, batch);
    const lane = this.#lanes.get(number) ?? {waiting: [], isRunning: false};
    this.#lanes.set(number, lane);
    lane.waiting.push(batch);
    if (!lane.isRunning) void this.#work(lane);
    return batch;
  }

  #removeLate(items: Map<string, Item>, since: ReadonlyMap<string, number>): void {
    const now = this.#now();
    for (const [key, at] of since) if (now - at > this.#options.patience) items.delete(key);
  }

  /** Runs the batches of a lane until none waits. A batch accepts items until it starts. */
  async #work(lane: Lane<Item, Result>): Promise<void> {
    lane.isRunning = true;
    while (lane.waiting.length > 0) {
      // Read pending requests from the sockets first, so that they join the batch.
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
