import type {ConnectorReading, Json} from '../../client/types.js';
import {layOut, sourceOf} from '../../domain/json-source.js';
import {escapeUnsafe, jsonNotation} from '../escape.js';

/** Spaces per level of indented JSON, as oclif prints it. */
const indentation = 2;

/**
 * A value as JSON text on indented lines, without a line feed at the end. What a terminal might
 * obey is written as `\u` escapes, so the text is safe to show and parses to the same value.
 */
export function jsonText(value: unknown): string {
  return escapeUnsafe(stringify(value, indentation), jsonNotation);
}

/** The same as `jsonText`, on one line. */
export function jsonLine(value: Json): string {
  return escapeUnsafe(stringify(value, 0), jsonNotation);
}

/** `JSON.stringify`, but what came from a service keeps its digits and the order of its keys. */
function stringify(value: unknown, spaces: number): string {
  let isPlain = true;
  const text = JSON.stringify(
    value,
    (_, member: unknown) => {
      if (typeof member !== 'bigint' && sourceOf(member) === undefined) return member;
      isPlain = false;
      return null;
    },
    spaces,
  );
  return isPlain ? text : layOut(sourceText(value), spaces);
}

/** A value as JSON text on one line, except in what is written as its source. */
function sourceText(value: unknown): string {
  const source = sourceOf(value);
  if (source !== undefined) return source;
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(sourceText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${sourceText(member)}`);
  return `{${members.join(',')}}`;
}

/** The connectors as one indented JSON array, element by element, as their service answered them. */
export async function* jsonArray(
  connectors: AsyncIterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  let opening = '[\n';
  for await (const {raw} of connectors) {
    // No line feed is inside a string of JSON, so each one starts a line of the layout.
    const element = `${' '.repeat(indentation)}${jsonText(raw)}`;
    yield opening + element.replaceAll('\n', `\n${' '.repeat(indentation)}`);
    opening = ',\n';
  }
  yield opening === ',\n' ? '\n]\n' : '[]\n';
}

/** The connectors as JSON Lines, one per connector, as their service answered them. */
export async function* jsonLines(
  connectors: AsyncIterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  for await (const {raw} of connectors) yield `${jsonLine(raw)}\n`;
}
