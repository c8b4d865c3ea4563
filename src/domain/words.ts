import {distance} from 'fastest-levenshtein';

/** The candidate that the user most likely meant; undefined when none is close enough. */
export function suggestion(typed: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({
      candidate,
      edits: letters(typed) === letters(candidate) ? 1 : distance(typed, candidate),
      prefix: commonPrefix(typed, candidate),
    }))
    .sort((left, right) => left.edits - right.edits || right.prefix - left.prefix);
  const limit = Math.max(1, Math.min(3, Math.floor(typed.length / 3)));
  return best !== undefined && best.edits <= limit ? best.candidate : undefined;
}

/** The letters of a word in alphabetical order: two letters that change places are one mistake. */
function letters(word: string): string {
  return [...word].sort().join('');
}

/** Decides between equal distances: first letters are rarely mistyped, so `ofline` means `offline`, not `online`. */
function commonPrefix(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}

/** Formats a number for people: `100,000`. */
export const figure = (value: number): string => value.toLocaleString('en');

/** The first `most` texts, followed by a line with the number of omitted texts and their `place`. */
export function firstOf(texts: readonly string[], most: number, place = ''): readonly string[] {
  const rest = texts.length - most;
  return rest <= 0 ? texts : [...texts.slice(0, most), `… ${figure(rest)} more${place}`];
}

/** A number of things: `1 page`, `2 pages`. @param noun one with a regular plural */
export const counted = (count: number, noun: string): string =>
  `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
