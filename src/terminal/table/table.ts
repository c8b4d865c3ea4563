import {escapeControl} from '../escape.js';
import {measurerFor, type TextMeasurer} from '../text-width.js';

/** A column of a table of `T`. */
export interface Column<T> {
  readonly title: string;
  /** The value, not yet escaped; undefined if the service does not send it. */
  readonly value: (item: T) => string | undefined;
  /** Whether a value may be cut to fit; a value that users copy may not. */
  readonly cuttable?: boolean;
  /** Whether the column appears only if an item has a value for it. */
  readonly optional?: boolean;
  /** Colors a value after it has been escaped and cut. */
  readonly style?: (item: T, shown: string) => string;
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

/** A narrower terminal gets a table of this width. */
const leastTerminal = 20;

/** A column that may be cut never shrinks below this width. */
const leastCut = 12;

/** Values are aligned up to this width; a longer one shifts the rest of its row. */
const mostPadding = 256;

/**
 * The rows of a table without borders, after its header; nothing without items. On a terminal, columns take as few
 * lines as possible, in their order.
 *
 * Not by cli-table3, which takes 170 ms for 1,000 rows (this code 30), and cannot put a row on several lines.
 *
 * @param width of the terminal in columns; undefined: nothing is cut
 * @param hidesHeader writes the rows alone
 */
export async function tableRows<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  width: number | undefined,
  hidesHeader = false,
): Promise<Iterable<string>> {
  if (items.length === 0) return [];
  const filled = columns.flatMap((column) => {
    const cells = items.map((item) => escapeControl(column.value(item) || absent));
    if (column.optional && cells.every((cell) => cell === absent)) return [];
    return [{column, cells: hidesHeader ? cells : [column.title, ...cells]}];
  });
  const measurer = await measurerFor(filled.map(({cells}) => cells.join('')));
  const widest = (cells: readonly string[]) =>
    cells.reduce((most, cell) => Math.max(most, measurer.width(cell)), 0);
  const measured = filled.map((one) => ({...one, width: widest(one.cells)}));
  const lines = layOut(measured, Math.max(width ?? Number.POSITIVE_INFINITY, leastTerminal));
  // One by one: the rows of a long table take much more memory than their text.
  function* rows() {
    for (const [index, item] of (hidesHeader ? items : [undefined, ...items]).entries()) {
      const drawn = lines.map((line) => drawLine(line, index, item, measurer));
      yield `${drawn.join(`\n${' '.repeat(indent)}`)}\n`;
    }
  }
  return rows();
}

/** One line of a row. @param item undefined for the header */
function drawLine<T>(
  line: readonly Placed<T>[],
  row: number,
  item: T | undefined,
  {cut, width}: TextMeasurer,
): string {
  let text = '';
  let padding = 0;
  for (const {column, cells, width: space} of line) {
    const cell = cut(cells[row] ?? '', space);
    text +=
      ' '.repeat(padding) + (item === undefined ? cell : (column.style?.(item, cell) ?? cell));
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
