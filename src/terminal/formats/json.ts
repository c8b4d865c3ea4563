import {batchesOf} from '../../domain/batches.js';
import type {JsonObject} from '../../domain/json.js';
import {escapeUnsafe, jsonNotation} from '../escape.js';

/** Spaces per level of indented JSON, as oclif prints it. */
const indentation = 2;

/**
 * A value as indented JSON, without a line feed at the end. Characters that may affect a terminal are
 * written as `\u` escapes: the text is safe to show and parses to the same value.
 */
export function jsonText(value: unknown): string {
  return escapeUnsafe(stringify(value, indentation), jsonNotation);
}

/** Like `jsonText`, on one line. */
export function jsonLine(value: unknown): string {
  return escapeUnsafe(stringify(value, 0), jsonNotation);
}

function stringify(value: unknown, spaces: number): string {
  try {
    return JSON.stringify(value, null, spaces);
  } catch (error) {
    // The value contains a bigint.
    if (error instanceof TypeError) return withDigits(value, spaces);
    throw error;
  }
}

/** Like `JSON.stringify`, but writes a bigint as digits. */
function withDigits(value: unknown, spaces: number, indent = ''): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = indent + ' '.repeat(spaces);
  const lineEnd = (next: string) => (spaces === 0 ? '' : `\n${next}`);
  const colon = spaces === 0 ? ':' : ': ';
  const parts = Array.isArray(value)
    ? value.map((one) => withDigits(one, spaces, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => JSON.stringify(name) + colon + withDigits(member, spaces, inner));
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return open + lineEnd(inner) + parts.join(`,${lineEnd(inner)}`) + lineEnd(indent) + close;
}

/** Connectors per part of text: one at a time is slow, and all at once takes much memory. */
const partLength = 500;

/** The connectors as one indented JSON array, in parts, as the service sent them. */
export function* jsonArray(connectors: readonly JsonObject[]): Generator<string> {
  if (connectors.length === 0) return yield '[]\n';
  let before = '[';
  for (const part of batchesOf(connectors, partLength)) {
    // The brackets of each part are cut off.
    yield before + jsonText(part).slice(1, -2);
    before = ',';
  }
  yield '\n]\n';
}
