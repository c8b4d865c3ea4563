import {escapeControl} from './escape.js';
import {gap} from './layout.js';
import {rulerFor} from './ruler.js';

/** A column is not made narrower than this many terminal columns. */
const leastWidth = 4;

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
 * A table of a few rows that are all at hand, such as keys and profiles. On a narrow terminal a
 * value takes several lines of its column; none is cut. The connector list has its own table
 * (`table.ts`), which streams.
 *
 * @param width of the terminal in columns; undefined: each row is one line
 */
export async function renderGrid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): Promise<string> {
  const {default: Table} = await import('cli-table3');
  const cells = rows.map((row) => row.map((cell) => (cell === '' ? '-' : escapeControl(cell))));
  const ruler = await rulerFor(cells.flat());
  const widths = head.map((title, column) =>
    Math.max(
      ...[title, ...cells.map((row) => row[column] ?? '')].map((text) => ruler.measure(text).width),
    ),
  );
  const table = new Table({
    head: [...head],
    chars: borderless,
    ...(width !== undefined && {colWidths: fitted(widths, width)}),
    wordWrap: true,
    wrapOnWordBoundary: false,
    // Empty styles: the library would colour head and borders even where there is no terminal.
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0},
  });
  table.push(...cells);
  const lines = table.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Narrows the widest columns until all of them fit side by side. */
function fitted(wanted: readonly number[], width: number): number[] {
  const widths = [...wanted];
  const sum = (): number => widths.reduce((total, one) => total + one, gap * (widths.length - 1));
  while (sum() > width) {
    const widest = Math.max(...widths);
    if (widest <= leastWidth) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}
