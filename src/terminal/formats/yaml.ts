import {Document, visit} from 'yaml';
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
      if (typeof node.value !== 'string') return;
      // The library writes " \n" as a block that has lost its blank.
      const isBlank = node.value.trim() === '';
      if (isBlank || hasUnsafe(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  // On several lines the library would write a line of blanks in quotes with a backslash too many.
  const layout = {lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY};
  return escapeUnsafe(document.toString(layout), yamlNotation);
}

/** The connectors as one YAML sequence, item by item, as the service sent them. */
export function* yamlSequence(connectors: readonly JsonObject[]): Generator<string> {
  if (connectors.length === 0) yield yamlText([]);
  for (const connector of connectors) yield yamlText([connector]);
}
