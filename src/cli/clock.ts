import {setTimeout as sleep} from 'node:timers/promises';
import type {LoopClock} from './heartbeat-loop.js';

/** Longest sleep in one piece. */
const slice = 5000;

/**
 * The machine's time. Timers stand still while a laptop sleeps, and the wall clock jumps when it is
 * set; so a wait is over as soon as either of the two says so.
 */
export const systemClock: LoopClock = {
  now: () => Date.now(),
  async wait(milliseconds, signal) {
    const wallStart = Date.now();
    const start = performance.now();
    const remaining = () =>
      milliseconds - Math.max(performance.now() - start, Date.now() - wallStart);
    while (!signal.aborted && remaining() > 0) {
      // An abort is the caller's to see on the signal.
      await sleep(Math.min(remaining(), slice), undefined, {signal}).catch(() => undefined);
    }
  },
};
