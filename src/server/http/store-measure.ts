import {statusBounds} from '../../domain/liveness.js';
import type {StoreMeasure} from '../../store/store.js';
import type {Context} from '../context.js';

/** How long a measurement is reused, in milliseconds: counting a million connectors is expensive. */
const freshMilliseconds = 15_000;

/** Measures the store at most every 15 seconds; undefined while the store is not available. */
export function createStoreMeasure({
  store,
  now,
  monotonic,
  heartbeatInterval,
}: Pick<Context, 'store' | 'now' | 'monotonic' | 'heartbeatInterval'>): () => Promise<
  StoreMeasure | undefined
> {
  let measured: Promise<StoreMeasure | undefined> | undefined;
  let measuredAt = {now: 0, monotonic: 0};
  const measure = async (): Promise<StoreMeasure | undefined> => {
    try {
      await store.check();
      return await store.measure(statusBounds(now(), heartbeatInterval));
    } catch {
      // Failing requests and `/readyz` report the cause.
      return undefined;
    }
  };
  return () => {
    const age = now() - measuredAt.now;
    // The clock of a sandbox may stand still.
    const realAge = monotonic() - measuredAt.monotonic;
    if (measured === undefined || age < 0 || Math.max(age, realAge) >= freshMilliseconds) {
      measured = measure();
      measuredAt = {now: now(), monotonic: monotonic()};
    }
    return measured;
  };
}
