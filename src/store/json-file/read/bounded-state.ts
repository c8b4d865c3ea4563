import {type HeapLimits, heapFor} from '../../../system/heap.js';
import {StoreError} from '../../store.js';
import type {StoreRecord} from '../format/records.js';
import {State} from '../state/contents.js';
import {costOfRecord} from '../state/usage.js';

/** Keeps records while the heap has room for them. Of too many it only counts the bytes, to say what is needed. */
export class BoundedState {
  readonly #heap: HeapLimits;
  #state: State | undefined = new State();
  #bytes = 0;

  constructor(heap: HeapLimits) {
    this.#heap = heap;
  }

  apply(record: StoreRecord): void {
    if (this.#state === undefined) {
      this.#bytes += costOfRecord(record);
      return;
    }
    this.#state.apply(record);
    this.#bytes = this.#state.usage.bytes;
    if (this.#bytes > this.#heap.mostRecords) this.#state = undefined;
  }

  /** All records. @throws as `requireRoom` */
  take(directory: string): State {
    requireRoom(directory, this.#bytes, this.#heap);
    // It is dropped only beyond that limit.
    return this.#state ?? new State();
  }
}

/** @throws StoreError of kind `too-large` when the heap has no room for records of so many bytes */
export function requireRoom(directory: string, bytes: number, heap: HeapLimits): void {
  if (bytes <= heap.mostRecords) return;
  const heapMebibytes = heapFor(bytes * heap.stores);
  const limit = Math.floor(heap.total / 2 ** 20);
  throw new StoreError(
    'too-large',
    `${directory} holds more than fits into the memory of this process: it needs a heap of at least ${heapMebibytes} MiB, and the limit is ${limit} MiB.`,
    {heapMebibytes},
  );
}
