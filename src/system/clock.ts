import {uptime} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * Time for loops, pauses and waits; a test replaces it to run months in a moment. It has no time of day:
 * records and the liveness of connectors need that, and take it as an argument.
 */
export interface Clock {
  /** Milliseconds since some moment, including time that the machine slept; never goes back. */
  now(): number;
  /** Resolves after this many milliseconds, or at once when the signal aborts; never rejects. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The sources of a clock, all in milliseconds. */
interface TimeSources {
  /** Since some moment; stops while the machine sleeps. Cannot be set. */
  readonly awake: () => number;
  /** Since boot, including sleep. Cannot be set; may have a resolution of a second. */
  readonly sinceBoot: () => number;
  /** Rejects when the signal aborts. Its timer stops while the machine sleeps. */
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Longest single sleep: the longest delay until a sleep of the machine is noticed. */
const slice = 5000;

/** Up to this difference of the two sources, in milliseconds, the machine did not sleep. */
const coarseness = 2000;

/**
 * A clock for waits: it counts the time that a laptop sleeps, and ignores the wall clock, which jumps
 * when it is set.
 */
export function createClock({awake, sinceBoot, sleep: pause}: TimeSources): Clock {
  const start = awake();
  const offset = sinceBoot() - start;
  let latest = 0;
  const now = () => {
    const asleep = sinceBoot() - awake() - offset;
    latest = Math.max(latest, awake() - start + (asleep > coarseness ? asleep : 0));
    return latest;
  };
  return {
    now,
    async wait(milliseconds, signal) {
      const end = now() + milliseconds;
      for (let left = milliseconds; left > 0 && !signal?.aborted; left = end - now()) {
        // The caller checks the signal.
        await pause(Math.min(left, slice), signal).catch(() => undefined);
      }
    },
  };
}

export const systemClock: Clock = createClock({
  awake: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, {signal}),
});
