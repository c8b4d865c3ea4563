import {type Options, stringify} from 'csv-stringify/sync';
import {connectorFields, fieldRow} from '../../client/read/connector.js';
import type {JsonObject} from '../../domain/json.js';
import {escapeControl} from '../escape.js';
import {fieldReader, type TableOptions} from '../table/connectors.js';

/**
 * RFC 4180, except that lines end in a line feed alone: every reader accepts that, and line-based tools
 * would treat a carriage return as part of the last column. A cell that begins with # is quoted: it could begin a comment.
 */
const csvLayout: Options = {quoted_match: /^#/, record_delimiter: '\n'};

/** Rows as CSV, with their values unchanged. */
export const csvText = (rows: readonly (readonly string[])[]) => stringify([...rows], csvLayout);

/** Text that a spreadsheet would evaluate as a formula gets a leading apostrophe. */
const options: Options = {...csvLayout, escape_formulas: true};

/** The columns that are the same at every service. */
const usualFields = connectorFields.filter((field) => !fieldRow(field).referenceOnly);

/**
 * The connectors as CSV: a header, then one line each, by default with `usualFields`. Times are ISO 8601 in UTC; a field that the service does not send is empty.
 * Control characters are escaped as on a terminal, so each connector is one line.
 */
export function* csvLines(
  connectors: readonly JsonObject[],
  {fields = usualFields, hidesHeader = false}: Pick<TableOptions, 'fields' | 'hidesHeader'> = {},
): Generator<string> {
  if (!hidesHeader) yield stringify([fields.map(escapeControl)], options);
  const readers = fields.map((field) => fieldReader(field));
  for (const connector of connectors) {
    const cells = readers.map((read) => escapeControl(read(connector) ?? ''));
    yield stringify([cells], options);
  }
}
