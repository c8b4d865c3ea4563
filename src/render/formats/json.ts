import type {ConnectorReading} from '../../client/types.js';
import {batchesOf} from '../../domain/batches.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {formatJson, sourceOf} from '../../domain/json-source.js';
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

/** The same as `jsonText`, on one line. */
export function jsonLine(value: Json): string {
  return escapeUnsafe(stringify(value, 0), jsonNotation);
}

/** `JSON.stringify`, but values from a service keep their digits and the order of their keys. */
function stringify(value: unknown, spaces: number): string {
  return isPlain(value)
    ? JSON.stringify(value, null, spaces)
    : formatJson(sourceText(value), spaces);
}

/** Whether `JSON.stringify` writes a value as it should be. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (sourceOf(value) !== undefined) return false;
  if (Array.isArray(value)) return value.every(isPlain);
  return Object.values(value).every(isPlain);
}

/** A value as JSON text on one line, except for parts that are written as their source. */
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

/** The connectors as one indented JSON array, element by element, as the service sent them. */
export async function* jsonArray(
  connectors: AsyncIterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  let opening = '[';
  for await (const batch of batchesOf(connectors)) {
    // The elements of an array, without the brackets on its first and last line.
    yield opening + escapeUnsafe(sentText(batch, indentation), jsonNotation).slice(1, -2);
    opening = ',';
  }
  yield opening === ',' ? '\n]\n' : '[]\n';
}

/** The connectors as JSON Lines, one line each, as the service sent them. */
export async function* jsonLines(
  connectors: AsyncIterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  for await (const batch of batchesOf(connectors)) {
    yield `${escapeUnsafe(lines(batch), jsonNotation)}\n`;
  }
}

/** The objects that a service sent, as an array. */
function sentText(connectors: readonly ConnectorReading[], spaces: number): string {
  const raws = connectors.map(({raw}) => raw);
  return isPlainAsSent(raws) ? JSON.stringify(raws, null, spaces) : stringify(raws, spaces);
}

function lines(connectors: readonly ConnectorReading[]): string {
  const raws = connectors.map(({raw}) => raw);
  if (isPlainAsSent(raws)) {
    // One call takes half the time of many. With as many parts as objects, each cut is between two.
    const parts = JSON.stringify(raws).slice(1, -1).split('},{');
    if (parts.length === raws.length) return parts.join('}\n{');
  }
  return raws.map((object) => stringify(object, 0)).join('\n');
}

/** The same as `isPlain` for what the client parsed: all of an object is plain, or the object has a source. */
function isPlainAsSent(objects: readonly JsonObject[]): boolean {
  return objects.every((object) => sourceOf(object) === undefined);
}
