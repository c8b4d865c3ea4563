/** Items per part: single writes are slow, and one text of all takes much memory. */
const partLength = 500;

/** Renders a long list in parts. @param render the text of a part that begins at an index of the list */
export function* inParts<T>(
  items: readonly T[],
  render: (part: readonly T[], at: number) => string,
): Generator<string> {
  for (let at = 0; at < items.length; at += partLength) {
    yield render(items.slice(at, at + partLength), at);
  }
}
