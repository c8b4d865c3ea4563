import {escapeControl} from '../escape.js';
import {measurerFor, type TextMeasurer} from '../text-width.js';

/** A column of a table of `T`. */
export interface Column<T> {
  readonly title: string;
  /** The value, not yet escaped; undefined if the service does not send it. */
  readonly value: (item: T) => string | undefined;
  /** Whether a value may be cut to fit; one that users copy is cut only if it is wider than a line. */
  readonly cuttable?: boolean;
  /** Whether the column appears only if an item has a value for it. */
  readonly optional?: boolean;
  /** Colors a value, or the title, after it has been escaped and cut. */
  readonly style?: (shown: string) => string;
}

/** A column with its title and its escaped values, and the width that it gets. */
interface Placed<T> {
  readonly column: Column<T>;
  readonly cells: readonly string[];
  readonly width: number;
}

const absent = '-';

/** Spaces between two columns. */
const gap = 2;

/** Spaces before each line of a row except the first. */
const indent = 2;

/** Minimum width of a table in columns, even if the terminal is narrower. */
const leastTerminal = 20;

/** A column that may be cut never shrinks below this width. */
const leastCut = 12;

/** Values are aligned up to this width; a longer one shifts the rest of its row. */
const mostPadding = 256;

/**
 * The rows of a table without borders, after its header; nothing without items. On a terminal, columns take as few
 * lines as possible, in their order.
 *
 * Not by cli-table3, which takes 170 ms for 1,000 rows (this code: 6), and cannot put a row on several lines.
 *
 * @param width of the terminal in columns; undefined: nothing is cut
 */
export async function tableRows<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  width: number | undefined,
): Promise<Iterable<string>> {
  if (items.length === 0) return [];
  const filled = columns.flatMap((column) => {
    if (column.optional && !items.some((item) => column.value(item))) return [];
    return [{column, cells: items.map((item) => escapeControl(column.value(item) || absent))}];
  });
  const titles = filled.map(({column}) => column.title);
  const measurer = await measurerFor(titles, ...filled.map(({cells}) => cells));
  const measured = filled.map(({column, cells}) => {
    let width = measurer.width(column.title);
    for (const cell of cells) width = Math.max(width, measurer.width(cell));
    return {column, cells, width};
  });
  const lines = layOut(measured, Math.max(width ?? Number.POSITIVE_INFINITY, leastTerminal));
  const draw = (show: (placed: Placed<T>) => string) =>
    `${lines.map((line) => drawLine(line, show, measurer)).join(`\n${' '.repeat(indent)}`)}\n`;
  // Yields rows one by one: an array of all rows takes much more memory than the joined text.
  function* rows() {
    yield draw(({column}) => column.title);
    for (let row = 0; row < items.length; row += 1) yield draw(({cells}) => cells[row] ?? '');
  }
  return rows();
}

/** One line of a row, or of the header. */
function drawLine<T>(
  line: readonly Placed<T>[],
  show: (placed: Placed<T>) => string,
  {cut, width}: TextMeasurer,
): string {
  let text = '';
  let padding = 0;
  for (const placed of line) {
    const {column, width: space} = placed;
    const cell = cut(show(placed), space);
    text += ' '.repeat(padding) + (column.style?.(cell) ?? cell);
    padding = Math.max(Math.min(space, mostPadding) - width(cell), 0) + gap;
  }
  return text;
}

/**
 * Places columns in order on as few lines as possible. If they do not fit, columns that may be cut shrink, down to 12
 * each; a column that is wider than a whole line is always cut.
 */
function layOut<T>(columns: readonly Placed<T>[], width: number): Placed<T>[][] {
  let excess = columns.reduce((sum, one) => sum + one.width + gap, -gap) - width;
  let free = 0;
  const lines: Placed<T>[][] = [];
  for (const one of columns) {
    const least = one.column.cuttable ? Math.min(one.width, leastCut) : one.width;
    const cut = Math.max(0, Math.min(excess, one.width - least));
    excess -= cut;
    const placed = {...one, width: Math.min(one.width - cut, width - indent)};
    if (placed.width > free) {
      free = lines.length === 0 ? width : width - indent;
      lines.push([]);
    }
    lines.at(-1)?.push(placed);
    free -= placed.width + gap;
  }
  return lines;
}
