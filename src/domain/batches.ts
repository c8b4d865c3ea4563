/**
 * A source of items that arrive in batches. Whoever reads it by `batchesOf` takes one asynchronous step
 * per batch instead of one per item, which for long lists is most of the time.
 */
export class Batches<T> implements AsyncIterable<T> {
  readonly batches: AsyncIterable<readonly T[]>;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.batches = batches;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const batch of this.batches) yield* batch;
  }
}

/** The items in the batches in which they arrive, one by one from a source without batches. None is empty. */
export async function* batchesOf<T>(
  source: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<readonly T[], void, void> {
  // Not by its class: the bundle holds this module twice.
  if ('batches' in source) {
    for await (const batch of (source as Batches<T>).batches) if (batch.length > 0) yield batch;
  } else if (Array.isArray(source)) {
    if (source.length > 0) yield source;
  } else {
    for await (const item of source) yield [item];
  }
}
