/** The index of the first entry of a list sorted by id that comes after `id`. O(log n). */
export function indexAfter(entries: readonly {readonly id: string}[], id: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && entry.id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
