/**
 * A source of items that arrive in batches. Reading it with `batchesOf` takes one asynchronous step per
 * batch instead of one per item; for long lists these steps take most of the time.
 */
export interface Batched<T> extends AsyncIterable<T> {
  /** None is empty. */
  readonly batches: AsyncIterable<readonly T[]>;
}

/** A source of the items in these batches. Not a class: every command would define it at its start. */
export function batched<T>(batches: AsyncIterable<readonly T[]>): Batched<T> {
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches) yield* batch;
    },
  };
}

/** The items in the batches in which they arrive; from a source without batches, one by one. No batch is empty. */
export function batchesOf<T>(
  source: AsyncIterable<T> | Iterable<T> | Batched<T>,
): AsyncIterable<readonly T[]> {
  return 'batches' in source ? source.batches : batchesFrom(source);
}

async function* batchesFrom<T>(
  source: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<readonly T[], void, void> {
  if (!Array.isArray(source)) for await (const item of source) yield [item];
  else if (source.length > 0) yield source;
}
