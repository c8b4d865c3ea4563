/** Gathers items into arrays of `size`, the last one shorter. */
export async function* inBlocks<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let block: T[] = [];
  for await (const item of items) {
    block.push(item);
    if (block.length < size) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}
