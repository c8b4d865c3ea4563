import {distance} from 'fastest-levenshtein';

/** The candidate that a typing error most likely meant; undefined where any would be a guess. */
export function suggestion(typed: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({
      candidate,
      edits: distance(typed, candidate),
      prefix: commonPrefix(typed, candidate),
    }))
    .sort((left, right) => left.edits - right.edits || right.prefix - left.prefix);
  return best !== undefined && best.edits <= Math.min(3, Math.ceil(typed.length / 3))
    ? best.candidate
    : undefined;
}

/** The first letters are seldom mistyped: of `ofline`, `offline` is nearer than `online`. */
function commonPrefix(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}
