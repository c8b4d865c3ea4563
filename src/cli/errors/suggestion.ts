import {distance} from 'fastest-levenshtein';

/** The candidate that the user most likely meant; undefined when none is close enough. */
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

/** The first letters are rarely mistyped: `offline` is closer to `ofline` than `online` is. */
function commonPrefix(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}
