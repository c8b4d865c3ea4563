import type {Json, JsonObject} from '../../domain/json.js';
import {escapeUnsafe, yamlNotation} from '../escape.js';

/**
 * Matches texts that need no quotes: they begin with a letter, and no reader of YAML 1.1 takes them for another type.
 * (The `yaml` package, for one, reads `e5` as a number.) Readers differ in what else they convert (`1,2`, `12:30`,
 * `0X1F`, `:web`, `=`), but no such text begins with a letter.
 */
const plain = /^(?!(?:y|yes|n|no|on|off|true|false|null|e\d+)$)[a-z](?:[\w ./@-]*[\w/@-])?$/i;

/** A value as YAML text with a line feed at the end. Characters that may affect a terminal are escaped. */
export function yamlText(value: Json): string {
  return escapeUnsafe(`${block(value, '\n')}\n`, yamlNotation);
}

/** The connectors as one YAML sequence, one by one, as the service sent them. */
export function* yamlSequence(connectors: readonly JsonObject[]): Generator<string> {
  if (connectors.length === 0) yield yamlText([]);
  for (const connector of connectors) yield yamlText([connector]);
}

/** @param line the line break before each line but the first, with its indent */
function block(value: Json, line: string): string {
  if (!isCollection(value)) return scalar(value);
  const inner = `${line}  `;
  if (Array.isArray(value)) return value.map((one) => `- ${block(one, inner)}`).join(line);
  const members = Object.entries(value).map(([name, member]) => {
    return `${textScalar(name)}:${isCollection(member) ? inner : ' '}${block(member, inner)}`;
  });
  return members.join(line);
}

/** Whether a value is written on separate lines. */
const isCollection = (value: Json): value is JsonObject | Json[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

function scalar(value: Json): string {
  if (typeof value === 'string') return textScalar(value);
  if (typeof value === 'object') return value === null ? 'null' : JSON.stringify(value);
  // YAML 1.1 requires a point in a number with an exponent.
  return String(value).replace(/^(-?\d+)e/, '$1.0e');
}

/** Strings of JSON are strings of YAML, except for lone surrogates, which some readers refuse. */
const textScalar = (value: string) =>
  plain.test(value) ? value : JSON.stringify(value.replace(/\p{Cs}/gu, '\ufffd'));
