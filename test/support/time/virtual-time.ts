import {setImmediate} from 'node:timers/promises';
import type {Clock} from '../../../src/system/clock.js';

/** Time for several loops in one process, which passes only when a test says so. */
export class VirtualTime implements Clock {
  #now = 0;
  /** Waits in the order of their ends. */
  #waiting: {readonly at: number; readonly resolve: () => void}[] = [];

  now(): number {
    return this.#now;
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const at = this.#now + Math.max(milliseconds, 0);
      this.#waiting = [...this.#waiting, {at, resolve: end}].sort((a, b) => a.at - b.at);
      signal?.addEventListener('abort', end);
    });
  }

  /** Lets time pass: each wait that ends meanwhile ends in its turn, and what follows it without a wait happens then. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await setImmediate();
    while ((this.#waiting[0]?.at ?? Number.POSITIVE_INFINITY) <= end) {
      const next = this.#waiting.shift()!;
      this.#now = next.at;
      next.resolve();
      await setImmediate();
    }
    this.#now = end;
  }
}
