import type {ConnectorReading, Json} from '../client/types.js';
import {escapeUnsafe, jsonNotation} from './escape.js';

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

/**
 * `JSON.stringify`, and bigints as the digits that a service sent. A bigint goes through as a marked
 * string, whose quotes and mark are then taken away; no other string holds the mark.
 */
function stringify(value: unknown, spaces: number): string {
  let bigints = 0;
  const withMark = (mark: string) =>
    JSON.stringify(
      value,
      (_, member: unknown) => {
        if (typeof member !== 'bigint') return member;
        bigints++;
        return `${mark}${member}`;
      },
      spaces,
    );
  const text = withMark('');
  if (bigints === 0) return text;
  let mark = '#';
  while (text.includes(mark)) mark += '#';
  return withMark(mark).replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
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
