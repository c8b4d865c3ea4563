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

/** A column with its escaped values, and the width that it gets. */
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

/** The table is laid out for at least this width. */
const leastTerminal = 20;

/** A column is cut below this width only if it is wider than a whole line. */
const leastCut = 12;

/** Without a terminal, values are aligned up to this width; a longer one shifts the rest of its row. */
const mostPadding = 256;

/**
 * The rows of a table without borders, after its header; nothing without items. On a terminal, columns take as few
 * lines as possible, in their order.
 *
 * Not by cli-table3, which takes 170 ms for 1,000 rows (this code 30), and cannot put a row on several lines.
 *
 * @param width of the terminal in columns, which no line exceeds; undefined: nothing is cut
 * @param hidesHeader writes the rows alone
 */
export async function tableRows<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  width: number | undefined,
  hidesHeader = false,
): Promise<Iterable<string>> {
  if (items.length === 0) return [];
  const texts = columns.map(({value}) => items.map((item) => escapeControl(value(item) || absent)));
  const measurer = await measurerFor(texts.map((cells) => cells.join('')));
  const placed = columns.flatMap((column, index): Placed<T>[] => {
    const cells = texts[index] ?? [];
    const isLeftOut = column.optional && cells.every((cell) => cell === absent);
    const widest = cells.reduce(
      (most, cell) => Math.max(most, measurer.width(cell)),
      hidesHeader ? 0 : measurer.width(column.title),
    );
    return isLeftOut ? [] : [{column, cells, width: widest}];
  });
  const lines = layOut(placed, width && Math.max(width, leastTerminal));
  const shown = width === undefined ? {...measurer, cut: (text: string) => text} : measurer;
  const row = (cellOf: (one: Placed<T>) => string, item?: T) => {
    const drawn = lines.map((line) => drawLine(line, cellOf, shown, item));
    return `${drawn.join(`\n${' '.repeat(indent)}`)}\n`;
  };
  // One by one: the rows of a long table take much more memory than their text.
  function* rows() {
    if (!hidesHeader) yield row(({column}) => column.title);
    for (const [index, item] of items.entries()) {
      yield row(({cells}) => cells[index] ?? '', item);
    }
  }
  return rows();
}

/** One line of a row, styled if it is an item's. */
function drawLine<T>(
  line: readonly Placed<T>[],
  cellOf: (one: Placed<T>) => string,
  {cut, width}: TextMeasurer,
  item: T | undefined,
): string {
  let text = '';
  let padding = 0;
  for (const one of line) {
    const {style} = one.column;
    const cell = cut(cellOf(one), one.width);
    text += ' '.repeat(padding) + (item === undefined || !style ? cell : style(item, cell));
    padding = Math.max(one.width - width(cell), 0) + gap;
  }
  return text;
}

/**
 * Places columns in order on as few lines as possible. What is too wide for one line is taken from the columns that may
 * be cut, down to 12 each; a column that is wider than a whole line is cut in any case.
 */
function layOut<T>(columns: readonly Placed<T>[], width: number | undefined): Placed<T>[][] {
  if (width === undefined) {
    return [columns.map((one) => ({...one, width: Math.min(one.width, mostPadding)}))];
  }
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
