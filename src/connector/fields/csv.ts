import {type Options, stringify} from 'csv-stringify/sync';
import {connectorFields} from '../../client/read/connector.js';
import {batchesOf} from '../../domain/batches.js';
import type {JsonObject} from '../../domain/json.js';
import {escapeControl, markFormula} from '../../terminal/escape.js';
import {fieldLayouts, fieldReader, type TableOptions} from './table.js';

/**
 * RFC 4180, except that lines end in a line feed alone: common readers accept that, and line-based tools
 * would treat a carriage return as part of the last column. A cell is quoted also where a reader may take its
 * first # for a comment, its ; for a separator, or drop its outer blanks.
 */
const layout: Options = {quoted_match: /^[#\s]|;|\s$/, record_delimiter: '\n'};

/** Rows as CSV. Control characters are escaped as on a terminal, so each row is one line. */
const csvText = (rows: readonly (readonly string[])[]) =>
  stringify(
    rows.map((row) => row.map((cell) => markFormula(escapeControl(cell)))),
    layout,
  );

/** Connectors per call of the library: single calls are slow, and one text of all takes much memory. */
const partLength = 500;

/** The default columns: without fields that only the reference service has. */
const usualFields = connectorFields.filter((field) => !fieldLayouts[field].referenceOnly);

/**
 * The connectors as CSV: a header, then one line each. Times are ISO 8601 in UTC; a field that is not sent is empty.
 */
export function* csvLines(
  connectors: readonly JsonObject[],
  {fields = usualFields}: Pick<TableOptions, 'fields'> = {},
): Generator<string> {
  yield csvText([fields]);
  const readers = fields.map((field) => fieldReader(field));
  for (const part of batchesOf(connectors, partLength)) {
    yield csvText(part.map((connector) => readers.map((read) => read(connector) ?? '')));
  }
}
