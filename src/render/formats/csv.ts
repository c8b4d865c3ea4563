import {type Options, stringify} from 'csv-stringify/sync';
import type {ConnectorReading} from '../../client/types.js';
import {batchesOf} from '../../domain/batches.js';
import {connectorFields} from '../../domain/selection.js';
import {escapeControl} from '../escape.js';
import {fieldReader} from './field-text.js';

/**
 * RFC 4180, except that lines end in a line feed alone: every reader accepts that, and line-based tools
 * would treat a carriage return as part of the last column. A line that begins with # would be a comment.
 */
export const csvLayout: Options = {quoted_match: /^#/, record_delimiter: '\n'};

/** Text that a spreadsheet would evaluate as a formula gets a leading apostrophe. */
const options: Options = {...csvLayout, escape_formulas: true};

/** A cell of printable ASCII that needs neither quotes nor escapes, and is not a formula. */
const plainCell = '(?:(?![#=+@-])[!#-+\\--~][ !#-+\\--~]*)?';

/** Maximum number of cells that one regular expression checks: V8 gives up at some millions. */
const cellsAtOnce = 20_000;

/** Lines with this many plain cells. */
function plainLines(cells: number): RegExp {
  return new RegExp(`^(?:${Array(cells).fill(plainCell).join(',')}\n)*$`);
}

/** The columns of CSV. */
interface CsvOptions {
  /** The fields, as `valueReader` takes them; undefined for those of the interface and the reference service. */
  readonly fields?: readonly string[] | undefined;
  readonly hidesHeader?: boolean | undefined;
}

/**
 * The connectors as CSV: a header, then one line each, with the fields that the interface and the
 * reference service name. Times are ISO 8601 in UTC; a field that the service does not send is empty.
 * Control characters are escaped as on a terminal, so each connector is one line.
 */
export async function* csvLines(
  connectors: AsyncIterable<ConnectorReading> | Iterable<ConnectorReading>,
  {fields = connectorFields, hidesHeader = false}: CsvOptions = {},
): AsyncGenerator<string, void, undefined> {
  if (!hidesHeader) yield stringify([fields.map(escapeControl)], options);
  const readers = fields.map(fieldReader);
  const plain = plainLines(fields.length);
  const cells = (connector: ConnectorReading) => readers.map((read) => read(connector) ?? '');
  const linesAtOnce = Math.max(1, Math.floor(cellsAtOnce / fields.length));
  for await (const batch of batchesOf(connectors)) {
    for (let at = 0; at < batch.length; at += linesAtOnce) {
      const some = batch.slice(at, at + linesAtOnce);
      const lines = `${some.map((connector) => cells(connector).join(',')).join('\n')}\n`;
      yield plain.test(lines) ? lines : some.map((one) => record(cells(one), plain)).join('');
    }
  }
}

/** One line; by the library, which is ten times slower, where a text is not plain. */
function record(cells: readonly string[], plain: RegExp): string {
  const line = `${cells.join(',')}\n`;
  return plain.test(line) ? line : stringify([cells.map(escapeControl)], options);
}
