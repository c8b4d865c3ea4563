import {statusBounds} from '../../domain/liveness.js';
import type {StoreMeasure} from '../../store/store.js';
import type {Context} from '../context.js';

/** How old a measure may be, in milliseconds: a million connectors are not counted for each reader. */
const freshMilliseconds = 15_000;

/** Measures the store, at most every 15 seconds whoever asks; undefined while it cannot serve. */
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
      // Why it cannot is told by the requests that meet it, and by `/readyz`.
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
