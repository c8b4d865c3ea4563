import {unmarkFormula} from './escape.js';

/** A row of CSV: its last line in the file, from 1, and its cells by the titles of their columns. */
export interface CsvRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/** A comma (RFC 4180), and the other separators that spreadsheets write. */
const separators = [',', ';', '\t'];

const remedy = 'use one separator, and put a cell that contains one in quotes';

/** The first line that has a value and is no comment. */
const headerLine = /^(?![ ,;\t]*(?:#|$)).+$/m;

/** The separator that splits a needed title off the header: another title may contain a comma, quoted or not. */
function separatorOf(header: string, needs: readonly string[]): string | undefined {
  const bare = (title: string) => title.replace(/^[\s"]+|[\s"]+$/g, '').toLowerCase();
  return separators.find((one) => header.split(one).some((title) => needs.includes(bare(title))));
}

/**
 * Parses CSV, with a header, that a user wrote. Lines without a value and comments are left out; a comment is a line
 * that begins with #. A first cell that begins with # needs quotes. A row may lack its last cells.
 *
 * @param needs titles of columns in lower case, at least one of which the header must have
 * @param more titles of further columns to read
 * @throws Error that names the line, or the column that the header needs
 */
export async function parseUserCsv(
  text: string,
  needs: readonly string[],
  ...more: readonly string[]
): Promise<readonly CsvRow[]> {
  const {parse} = await import('csv-parse/sync');
  // Excel names the separator in a line before the header.
  const body = text.replace(/^"?sep=.*/i, '');
  const header = headerLine.exec(body)?.[0] ?? '';
  const known = [...needs, ...more];
  const rows: CsvRow[] = [];
  let titles: readonly string[] = [];
  const readTitles = (cells: readonly string[]) => {
    titles = cells.map((cell) => cell.trim().toLowerCase());
    const isTwice = (title: string) => titles.indexOf(title) !== titles.lastIndexOf(title);
    if (known.some(isTwice) || !needs.some((title) => titles.includes(title)))
      throw new Error(`its header needs one column ${needs.join(' or ')}`);
  };
  parse(body, {
    cast(cell, {index, lines: line, quoting}) {
      const title = titles[index];
      if (titles.length > 0 && title === undefined && cell !== '')
        throw new Error(`line ${line} has more cells than the header; ${remedy}`);
      const foreign = quoting ? undefined : separators.find((one) => cell.includes(one));
      if (foreign !== undefined && known.includes(title ?? ''))
        throw new Error(`line ${line} has ${JSON.stringify(foreign)} in its ${title}; ${remedy}`);
      return unmarkFormula(cell);
    },
    comment: '#',
    comment_no_infix: true,
    delimiter: separatorOf(header, needs) ?? ',',
    onRecord(cells, {lines: line}) {
      if (titles.length === 0) readTitles(cells);
      else {
        const read = known.map((title) => [title, cells[titles.indexOf(title)] ?? '']);
        rows.push({line, cells: Object.fromEntries(read)});
      }
      return null;
    },
    record_delimiter: body.includes('\n') ? ['\r\n', '\n'] : '\r',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  if (titles.length === 0) readTitles([]);
  return rows;
}
