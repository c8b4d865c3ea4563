import {Document, visit} from 'yaml';
import type {ConnectorReading} from '../../client/types.js';
import {batchesOf} from '../../domain/batches.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {escapeUnsafe, hasUnsafe, yamlNotation} from '../escape.js';

/**
 * A value as YAML 1.2 text with a line feed at the end. Strings that YAML 1.1 readers would not read as
 * strings (`no`, `12:30`) are quoted. Characters that may affect a terminal are escaped, which YAML
 * allows only in double quotes.
 */
export function yamlText(value: Json): string {
  const document = new Document(value, {aliasDuplicateObjects: false, compat: 'yaml-1.1'});
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && hasUnsafe(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeUnsafe(document.toString({lineWidth: 0}), yamlNotation);
}

/** The connectors as one YAML sequence, item by item, as the service sent them. */
export async function* yamlSequence(
  connectors: AsyncIterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  let empty = true;
  for await (const batch of batchesOf(connectors)) {
    empty = false;
    yield batch.map(({raw}) => itemText(raw)).join('');
  }
  if (empty) yield yamlText([]);
}

/** A word, words or an UUID that every YAML reader takes as the same string without quotes. */
const plainString =
  /^(?!(?:y|n|yes|no|on|off|true|false|null|e-?\d+)$)(?:[a-z]\w*(?:[-./ ]\w+)*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** A time in the format of the interface, which YAML 1.1 readers would not read as a string. */
const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The same as `yamlText` of a sequence with this item; by the library only where a member is not plain. */
function itemText(item: JsonObject): string {
  const members = Object.entries(item).map(([name, value]) => {
    const plain = plainString.test(name) && name.length < 100 ? plainScalar(value) : undefined;
    // Without the dash of the item.
    return plain === undefined ? yamlText([{[name]: value}]).slice(2) : `${name}: ${plain}\n`;
  });
  return members.length === 0 ? yamlText([item]) : `- ${members.join('  ')}`;
}

function plainScalar(value: Json): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  if (typeof value !== 'string') return undefined;
  if (plainTime.test(value)) return `"${value}"`;
  return plainString.test(value) ? value : undefined;
}
