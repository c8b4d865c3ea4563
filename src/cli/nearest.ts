import {distance} from 'fastest-levenshtein';

/** The candidate that a typing error most likely meant; undefined where any would be a guess. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({candidate, edits: distance(typed, candidate)}))
    .sort((left, right) => left.edits - right.edits);
  return best !== undefined && best.edits <= Math.min(3, Math.ceil(typed.length / 3))
    ? best.candidate
    : undefined;
}
