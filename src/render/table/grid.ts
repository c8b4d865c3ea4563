import {escapeControl} from '../escape.js';
import {gap} from './layout.js';
import {type Column, tableChunks} from './stream.js';
import {measurerFor} from './text-width.js';

const none = '';
const borderless = {
  top: none,
  'top-mid': none,
  'top-left': none,
  'top-right': none,
  bottom: none,
  'bottom-mid': none,
  'bottom-left': none,
  'bottom-right': none,
  left: none,
  'left-mid': none,
  mid: none,
  'mid-mid': none,
  right: none,
  'right-mid': none,
  middle: ' '.repeat(gap),
};

/**
 * A table of a few rows that are all at hand, such as keys and profiles. Where it does not fit the
 * terminal a row takes several lines, so that an id can be copied whole; only what is wider than
 * all of the terminal is cut.
 *
 * @param width of the terminal in columns; undefined: each row is one line
 */
export async function renderGrid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): Promise<string> {
  const cells = rows.map((row) => row.map((cell) => (cell === '' ? '-' : escapeControl(cell))));
  if (width !== undefined && (await widthOf([head, ...cells])) > width) {
    return folded(head, rows, width);
  }
  const {default: Table} = await import('cli-table3');
  const table = new Table({
    head: [...head],
    chars: borderless,
    // Empty styles: the library would colour head and borders even where there is no terminal.
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0},
  });
  table.push(...cells);
  const lines = table.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** How many terminal columns the widest cells take side by side. */
async function widthOf(rows: readonly (readonly string[])[]): Promise<number> {
  const ruler = await measurerFor(rows.flat());
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => ruler.measure(row[column] ?? '').width)),
  );
  return widths.reduce((sum, one) => sum + one, gap * (widths.length - 1));
}

/** The same by the table of `table.ts`, which lays a row out on several lines. */
async function folded(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): Promise<string> {
  const columns = head.map(
    (title, index): Column<readonly string[]> => ({
      title,
      value: (row) => row[index],
      cuttable: false,
      optional: false,
    }),
  );
  let text = '';
  for await (const lines of tableChunks(rows, columns, width)) text += lines;
  return text;
}
