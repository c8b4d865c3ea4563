import {uptime} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';

/** Time as loops and waits see it, so that a test can run months in a moment. */
export interface Clock {
  /** Milliseconds since some moment, also those that the machine slept; never goes back. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts; never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** What a clock is made of; all of it in milliseconds. */
export interface TimeSources {
  /** Since some moment, standing still while the machine sleeps. Nobody can set it. */
  readonly awake: () => number;
  /** Since the machine started, sleep included. Nobody can set it; it may be coarse to a second. */
  readonly sinceBoot: () => number;
  /** Rejects when the signal aborts. Its timer stands still while the machine sleeps. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Longest sleep in one piece: so late, at most, is it noticed that the machine was asleep. */
const slice = 5000;

/** How far the two sources may be apart without the machine having slept. */
const coarseness = 2000;

/**
 * A clock for waits: it counts the time that a laptop sleeps, and does not look at the wall clock,
 * which jumps when it is set.
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
      for (let left = milliseconds; left > 0 && !signal.aborted; left = end - now()) {
        // An abort is the caller's to see on the signal.
        await pause(Math.min(left, slice), signal).catch(() => undefined);
      }
    },
  };
}

/** This machine's time. */
export const systemClock: Clock = createClock({
  awake: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, {signal}),
});
