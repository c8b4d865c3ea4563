/** The index of the first entry of a sorted list whose key comes after `key`. O(log n). */
export function indexAfter<Entry>(
  entries: readonly Entry[],
  key: string,
  keyOf: (entry: Entry) => string,
): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && keyOf(entry) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
