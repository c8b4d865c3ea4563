import {statusBounds} from '../../domain/liveness.js';
import type {StoreMeasure} from '../../store/store.js';
import type {Context} from '../context.js';

/** How long a measurement is reused, in milliseconds: counting a million connectors is expensive. */
const freshMilliseconds = 15_000;

/** Measures the store at most every 15 seconds; undefined while the store is not available. */
export function createStoreMeasure({
  store,
  now,
  heartbeatInterval,
}: Pick<Context, 'store' | 'now' | 'heartbeatInterval'>): () => Promise<StoreMeasure | undefined> {
  let measured: Promise<StoreMeasure | undefined> | undefined;
  let measuredAt = 0;
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
    const age = now() - measuredAt;
    if (measured === undefined || age < 0 || age >= freshMilliseconds) {
      measured = measure();
      measuredAt = now();
    }
    return measured;
  };
}
