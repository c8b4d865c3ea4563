import {setTimeout as sleep} from 'node:timers/promises';

/**
 * Time for loops, pauses and waits; a test replaces it to run months in a moment. It ignores the wall clock, which jumps
 * when it is set: records and statuses need the wall clock, and take its time as an argument.
 */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Resolves after this many milliseconds (24 days at most), or once the signal aborts; never rejects. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay of a timer of Node.js in milliseconds; with a longer one it would fire at once. */
export const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  async wait(milliseconds, signal) {
    // The caller checks the signal.
    await sleep(Math.min(milliseconds, longestTimer), undefined, {signal}).catch(() => {});
  },
};
