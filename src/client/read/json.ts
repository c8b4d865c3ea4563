import type {Json} from '../../domain/json.js';

/** Matches a number with so many digits that a double may not hold it exactly. */
const longNumber = /(?:^|[:[,\s])-?\d{16}/;

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const isInexact = (token: string) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));

/**
 * Parses JSON. An integer that a double cannot hold becomes a bigint: Node.js 20 does not pass its digits to a reviver, so
 * it first becomes a string with a prefix that no string of the JSON has.
 *
 * @throws Error when it is not JSON; its message may hold parts of the text, so drop it
 */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text);
  if (!longNumber.test(text)) return value;
  const runs = text.replaceAll('\\u0023', '#').match(/#+/g) ?? [];
  const mark = '#'.repeat(runs.reduce((most, {length}) => Math.max(most, length), 0) + 1);
  const marked = text.replace(stringOrNumber, (token) =>
    isInexact(token) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked, (_, inner: unknown) =>
    typeof inner === 'string' && inner.startsWith(mark) ? BigInt(inner.slice(mark.length)) : inner,
  );
}

/** Parses like `parseJson`; undefined when the text is not JSON. */
export function parseJsonOrUndefined(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
