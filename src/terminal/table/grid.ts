import {escapeControl} from '../escape.js';
import {measurerFor} from '../text-width.js';

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
  middle: '  ',
};

/**
 * A table whose rows are all known before it is printed, such as keys and profiles. If the terminal is
 * too narrow for it, each row becomes a separate table with one value per line.
 * Nothing is cut, so an id can always be copied.
 *
 * @param width of the terminal in columns; undefined: no limit
 */
export async function renderGrid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): Promise<string> {
  const {default: Table} = await import('cli-table3');
  const draw = (lines: readonly (readonly string[])[]) => {
    // Empty styles: the library would color header and borders even without a terminal.
    const style = {head: [], border: [], 'padding-left': 0, 'padding-right': 0};
    const table = new Table({chars: borderless, style});
    table.push(...lines.map((line) => [...line]));
    return table.toString().replace(/ +$/gm, '');
  };
  const cells = rows.map((row) => row.map((cell) => (cell === '' ? '-' : escapeControl(cell))));
  const table = draw([head, ...cells]);
  if (width === undefined || (await widthOf(table)) <= width) return `${table}\n`;
  const records = cells.map((row) => draw(head.map((title, column) => [title, row[column] ?? ''])));
  return `${records.join('\n\n')}\n`;
}

/** The width of the widest line of a text, in terminal columns. */
async function widthOf(text: string): Promise<number> {
  const lines = text.split('\n');
  const measurer = await measurerFor(lines);
  return Math.max(...lines.map(measurer.width));
}
