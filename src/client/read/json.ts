import type {Json} from '../../domain/json.js';

/** The maximum depth of nested arrays and objects in a response (RFC 8259 §9 allows a limit). */
const deepest = 256;

/** Finds numbers from 16 digits on, which a double may not hold exactly, and levels below the deepest allowed one. */
function survey(value: Json, found: {isLong: boolean; isTooDeep: boolean}, levels = deepest): void {
  if (typeof value === 'number') found.isLong ||= Math.abs(value) >= 1e15;
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) found.isTooDeep = true;
  // Without a copy, because a value may have millions of elements.
  else if (Array.isArray(value)) for (const one of value) survey(one, found, levels - 1);
  else for (const name in value) survey(value[name] ?? null, found, levels - 1);
}

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const isInexact = (token: string) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));

/**
 * Parses JSON. An unsafe integer becomes a bigint: Node.js 20 does not pass its digits to a reviver, so it first becomes
 * a string with a prefix that no string of the JSON has.
 *
 * @returns the value, and whether it has more levels of arrays and objects than allowed; its integers are then doubles
 * @throws Error when it is not JSON; its message may hold parts of the text, so drop it
 */
function parse(text: string) {
  const value: Json = JSON.parse(text);
  const found = {isLong: false, isTooDeep: false};
  survey(value, found);
  const {isLong, isTooDeep} = found;
  if (!isLong || isTooDeep) return {value, isTooDeep};
  const runs = text.replaceAll('\\u0023', '#').match(/#+/g) ?? [];
  const mark = '#'.repeat(runs.reduce((most, {length}) => Math.max(most, length), 0) + 1);
  const marked = text.replace(stringOrNumber, (token) =>
    isInexact(token) ? `"${mark}${token}"` : token,
  );
  const exact: Json = JSON.parse(marked, (_, inner: unknown) =>
    typeof inner === 'string' && inner.startsWith(mark) ? BigInt(inner.slice(mark.length)) : inner,
  );
  return {value: exact, isTooDeep};
}

/** The value of a JSON text as `parse` reads it. @throws Error as `parse` */
export const parseJson = (text: string): Json => parse(text).value;

/** What `parse` returns; undefined when the text is not JSON. */
export function tryParse(text: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text as `parse` reads it; undefined when it is not JSON. */
export const parseJsonOrUndefined = (text: string): Json | undefined => tryParse(text)?.value;
