import {Document, visit} from 'yaml';
import type {ConnectorReading, Json} from '../../client/types.js';
import {escapeUnsafe, hasUnsafe, yamlNotation} from '../escape.js';

/**
 * A value as YAML 1.2 text, ended by a line feed. Texts that YAML 1.1 readers would take for
 * something else (`no`, `12:30`) are quoted. What a terminal might obey is escaped, which YAML can
 * do in double quotes only.
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

/** The connectors as one YAML sequence, item by item, as their service answered them. */
export async function* yamlSequence(
  connectors: AsyncIterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  let empty = true;
  for await (const {raw} of connectors) {
    empty = false;
    yield yamlText([raw]);
  }
  if (empty) yield yamlText([]);
}
