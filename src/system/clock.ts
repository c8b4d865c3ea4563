import {setTimeout as sleep} from 'node:timers/promises';

/**
 * A monotonic clock for loops, pauses and waits. Tests replace it to run months in a moment. Records and statuses need
 * the wall clock, and take its time as an argument.
 */
export interface Clock {
  /** Milliseconds since an arbitrary moment; never decreases. */
  now(): number;
  /** Resolves after this many milliseconds (24 days at most), or once the signal aborts; never rejects. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay of a Node.js timer, in milliseconds. A timer with a longer delay fires at once. */
export const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  async wait(milliseconds, signal) {
    // The caller checks the signal.
    await sleep(Math.min(milliseconds, longestTimer), undefined, {signal}).catch(() => {});
  },
};
