import {type Options, stringify} from 'csv-stringify/sync';
import type {ConnectorReading} from '../../client/types.js';
import {connectorFields, fieldValue} from '../../domain/selection.js';
import {escapeControl} from '../escape.js';
import {inBlocks} from '../table/stream.js';
import {exactTime} from '../time.js';

/**
 * RFC 4180, except that lines end in a line feed alone: every reader accepts that, and line-based tools
 * would count a carriage return to the last column. A text that a spreadsheet would run as a formula
 * gets a leading apostrophe.
 */
const options: Options = {escape_formulas: true, record_delimiter: '\n'};

/** Connectors per chunk. */
const blockSize = 500;

/**
 * The connectors as CSV: a header, then one line each, with the fields that the interface and the
 * reference service name. Times are ISO 8601 in UTC; a field that the service does not send is empty.
 * Control characters are escaped as on a terminal, so each connector is one line.
 */
export async function* csvLines(
  connectors: AsyncIterable<ConnectorReading> | Iterable<ConnectorReading>,
): AsyncGenerator<string, void, undefined> {
  yield stringify([[...connectorFields]], options);
  for await (const block of inBlocks(connectors, blockSize)) {
    yield stringify(block.map(record), options);
  }
}

function record(connector: ConnectorReading): readonly string[] {
  return connectorFields.map((field) => {
    const value = fieldValue(connector, field) ?? '';
    return value instanceof Date ? exactTime(value) : escapeControl(value);
  });
}
