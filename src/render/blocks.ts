/** Gathers items into arrays of `size`, the last one shorter, also when the items end in an error. */
export async function* inBlocks<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let block: T[] = [];
  try {
    for await (const item of items) {
      block.push(item);
      if (block.length < size) continue;
      yield block;
      block = [];
    }
  } catch (error) {
    if (block.length > 0) yield block;
    throw error;
  }
  if (block.length > 0) yield block;
}
