import {setImmediate} from 'node:timers/promises';
import type {Clock} from '../../src/system/clock.js';

interface Waiting {
  readonly at: number;
  readonly resolve: () => void;
}

/** Time for several loops in one process, which passes only when a test says so. */
export class VirtualTime implements Clock {
  #now = 0;
  /** A binary heap by time. */
  readonly #waiting: Waiting[] = [];

  now(): number {
    return this.#now;
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        signal?.removeEventListener('abort', end);
        resolve();
      };
      this.#add({at: this.#now + Math.max(milliseconds, 0), resolve: end});
      signal?.addEventListener('abort', end);
    });
  }

  /** Lets time pass: each wait that ends meanwhile ends in its turn, and what follows it without a wait happens then. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await setImmediate();
    for (let next = this.#waiting[0]; next !== undefined && next.at <= end; ) {
      this.#removeFirst();
      this.#now = next.at;
      next.resolve();
      await setImmediate();
      next = this.#waiting[0];
    }
    this.#now = end;
  }

  #add(waiting: Waiting): void {
    const heap = this.#waiting;
    let index = heap.push(waiting) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (heap[parent]!.at <= waiting.at) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = waiting;
  }

  #removeFirst(): void {
    const heap = this.#waiting;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child += 1;
      if (heap[child]!.at >= last.at) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}
