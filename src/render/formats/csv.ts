import {type Options, stringify} from 'csv-stringify/sync';
import type {ConnectorReading} from '../../client/types.js';
import {batchesOf} from '../../domain/batches.js';
import {connectorFields, fieldValue} from '../../domain/selection.js';
import {escapeControl} from '../escape.js';
import {exactTime} from '../time.js';

/**
 * RFC 4180, except that lines end in a line feed alone: every reader accepts that, and line-based tools
 * would count a carriage return to the last column. A text that a spreadsheet would run as a formula
 * gets a leading apostrophe.
 */
const options: Options = {escape_formulas: true, record_delimiter: '\n'};

/** A record of printable ASCII that needs neither quotes nor escapes, and holds no formula. */
const plainRecord = new RegExp(
  `^${connectorFields.map(() => '(?:(?![=+@-])[!#-+\\--~][ !#-+\\--~]*)?').join(',')}$`,
);

/**
 * The connectors as CSV: a header, then one line each, with the fields that the interface and the
 * reference service name. Times are ISO 8601 in UTC; a field that the service does not send is empty.
 * Control characters are escaped as on a terminal, so each connector is one line.
 */
export async function* csvLines(
  connectors: AsyncIterable<ConnectorReading> | Iterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  yield stringify([[...connectorFields]], options);
  for await (const batch of batchesOf(connectors)) yield batch.map(record).join('');
}

/** One line; by the library, which is ten times slower, where a text is not plain. */
function record(connector: ConnectorReading): string {
  const values = connectorFields.map((field) => {
    const value = fieldValue(connector, field) ?? '';
    return value instanceof Date ? exactTime(value) : value;
  });
  const line = values.join(',');
  return plainRecord.test(line) ? `${line}\n` : stringify([values.map(escapeControl)], options);
}
