import type {Clock} from '../../../src/system/clock.js';

/** A clock that skips every wait, and the milliseconds of these waits. */
export interface SkippingClock {
  readonly clock: Clock;
  readonly waits: readonly number[];
  /** Lets time pass without a wait. */
  pass(milliseconds: number): void;
}

/** @param onWait called after each wait, with all waits so far */
export function skippingClock(
  onWait: (waits: readonly number[]) => void = () => undefined,
): SkippingClock {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    clock: {
      now: () => now,
      async wait(milliseconds) {
        waits.push(milliseconds);
        now += milliseconds;
        onWait(waits);
      },
    },
    pass(milliseconds) {
      now += milliseconds;
    },
  };
}
