import {escapeControl} from '../escape.js';
import {gap, indent, type Layout, layoutColumns} from './layout.js';
import {type Measured, measurerFor, type TextMeasurer} from './text-width.js';

/** A column of a table of `T`. */
export interface Column<T> {
  readonly title: string;
  /** The value as shown; undefined: the service does not tell. Escaped here, not by the caller. */
  readonly value: (item: T) => string | undefined;
  /** Whether a value may be cut to fit; one that people copy may not. */
  readonly cuttable: boolean;
  /** Whether the column is left out while no item has a value for it. */
  readonly optional: boolean;
  /** Colours a value that is already cut and escaped. */
  readonly paint?: (item: T, shown: string) => string;
}

/** A value, measured; undefined where the service does not tell. */
type Cell = Measured | undefined;
const absent: Measured = {text: '-', width: 1};

/** Items that are measured, laid out and written together. */
const blockSize = 1000;

/** On a terminal narrower than this the table is laid out for this width. */
const leastTerminal = 20;

/**
 * Writes a table without borders, block by block, so that a list of any length takes bounded
 * memory: columns may grow from one block to the next and never shrink, and the head is written
 * again when columns are added or a row no longer fits on its line. No items: nothing at all.
 *
 * This is drawn here rather than by cli-table3, which takes about 27 ms for the first table of 100
 * rows and 170 ms for 1,000 (here about 5 and 30), counts widths by a Unicode that knows fewer emoji
 * and few marks, and cannot lay a row out on several lines.
 *
 * @param width of the terminal in columns: no line is wider. Undefined: nothing is cut.
 */
export async function* tableChunks<T>(
  items: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
  width: number | undefined,
): AsyncGenerator<string, void, undefined> {
  const table = new Table(columns, width);
  for await (const block of inBlocks(items, blockSize)) yield await table.block(block);
}

class Table<T> {
  readonly #columns: readonly Column<T>[];
  readonly #width: number | undefined;
  /** Widest value so far by column; undefined while an optional column has none. */
  readonly #widest: (number | undefined)[];
  #lastArrangement: string | undefined;

  constructor(columns: readonly Column<T>[], width: number | undefined) {
    this.#columns = columns;
    this.#width = width === undefined ? undefined : Math.max(width, leastTerminal);
    this.#widest = columns.map(({title, optional}) => (optional ? undefined : title.length));
  }

  /** The lines of some items, each ended by a line feed, with the head where one is due. */
  async block(items: readonly T[]): Promise<string> {
    const rows = items.map((item) => this.#columns.map(({value}) => shown(value(item))));
    const ruler = await measurerFor(texts(rows));
    const measured = rows.map((row) => row.map((text) => measure(ruler, text)));
    for (const row of measured) this.#widenTo(row);
    const layout = this.#layout();
    let lines = this.#headIfDue(layout, ruler);
    for (const [index, item] of items.entries()) {
      lines += this.#draw(layout, ruler, measured[index] ?? [], item);
    }
    return lines;
  }

  #widenTo(row: readonly Cell[]): void {
    for (const [index, cell] of row.entries()) {
      if (cell === undefined) continue;
      const least = this.#widest[index] ?? this.#columns[index]?.title.length ?? 0;
      this.#widest[index] = Math.max(least, cell.width);
    }
  }

  /** Places the columns that have something to show. */
  #layout(): Layout {
    const demands = this.#columns.flatMap(({cuttable}, column) => {
      const width = this.#widest[column];
      return width === undefined ? [] : {column, width, cuttable};
    });
    return layoutColumns(demands, this.#width);
  }

  #headIfDue(layout: Layout, ruler: TextMeasurer): string {
    const arrangement = layout.map((line) => line.map(({column}) => column).join()).join('|');
    if (arrangement === this.#lastArrangement) return '';
    const separator = this.#lastArrangement === undefined ? '' : '\n';
    this.#lastArrangement = arrangement;
    return (
      separator +
      this.#draw(
        layout,
        ruler,
        this.#columns.map(({title}) => ruler.measure(title)),
      )
    );
  }

  /** One row, on as many lines as the layout has; painted when it is an item's. */
  #draw(layout: Layout, ruler: TextMeasurer, cells: readonly Cell[], item?: T): string {
    let text = '';
    for (const [index, slots] of layout.entries()) {
      if (index > 0) text += `\n${' '.repeat(indent)}`;
      let padding = 0;
      for (const {column, width} of slots) {
        const cell = cells[column] ?? absent;
        const fitted = this.#width === undefined ? cell : ruler.cut(cell, width);
        text += ' '.repeat(padding) + this.#paint(column, fitted.text, item);
        padding = Math.max(width - fitted.width, 0) + gap;
      }
    }
    return `${text}\n`;
  }

  #paint(column: number, text: string, item: T | undefined): string {
    const paint = this.#columns[column]?.paint;
    return item === undefined || paint === undefined ? text : paint(item, text);
  }
}

function measure(ruler: TextMeasurer, text: string | undefined): Cell {
  return text === undefined ? undefined : ruler.measure(text);
}

/** A value as it may be shown: escaped; undefined where there is none. */
function shown(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : escapeControl(value);
}

function* texts(rows: readonly (readonly (string | undefined)[])[]): Generator<string> {
  for (const row of rows) {
    for (const text of row) if (text !== undefined) yield text;
  }
}

/** Gathers items into arrays of `size`, the last one shorter, also when the items end in an error. */
export async function* inBlocks<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let block: T[] = [];
  try {
    for await (const item of items) {
      block.push(item);
      if (block.length < size) continue;
      yield block;
      block = [];
    }
  } catch (error) {
    if (block.length > 0) yield block;
    throw error;
  }
  if (block.length > 0) yield block;
}
