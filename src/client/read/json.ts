import type {Json} from '../../domain/json.js';

/** Matches a number so long that a double may not hold it. */
const longNumber = /(?:^|[:[,\s])-?\d{16}/;

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const isInexact = (token: string) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));

/**
 * Parses a JSON text. An integer that a double cannot hold is a bigint: parsers of Node.js 20 do not show the digits
 * of a number, so the text gets a mark for these, which no text in it begins with.
 *
 * @throws Error when it is not JSON; its message may hold parts of the text, so drop it
 */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text);
  if (!longNumber.test(text)) return value;
  const unescaped = text.replaceAll('\\u0023', '#');
  let mark = '#';
  while (unescaped.includes(mark)) mark += '#';
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
