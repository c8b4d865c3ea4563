import {type Options, stringify} from 'csv-stringify/sync';
import type {ConnectorReading} from '../../client/types.js';
import {connectorFields, fieldValue} from '../../domain/selection.js';
import {escapeControl} from '../escape.js';
import {inBlocks} from '../table/stream.js';
import {exactTime} from '../time.js';

/**
 * RFC 4180, but lines end in a line feed alone: every reader takes that, and to line-based tools
 * the carriage return would be a part of the last column. A text that a spreadsheet would run as a
 * formula gets an apostrophe in front.
 */
const options: Options = {escape_formulas: true, record_delimiter: '\n'};

/** Connectors that are written together. */
const blockSize = 500;

/**
 * The connectors as CSV: a head, then one line each, with the fields that the interface and the
 * reference service name; times in ISO 8601 UTC, nothing where the service tells nothing. Control
 * characters are escaped as for people, so that a connector is always one line.
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
