import {batchesOf} from '../../domain/batches.js';
import {escapeControls} from '../escape.js';
import {measurerFor, type TextMeasurer} from '../text-width.js';
import {gap, indent, type Layout, layoutColumns} from './layout.js';

/** A column of a table of `T`. */
export interface Column<T> {
  readonly title: string;
  /** The value, not yet escaped; undefined if the service does not send it. */
  readonly value: (item: T) => string | undefined;
  /** Whether a value may be cut to fit; a value that users copy may not. */
  readonly cuttable?: boolean;
  /** Whether the column appears only once an item has a value for it. */
  readonly optional?: boolean;
  /** Colors a value after it has been escaped and cut. */
  readonly style?: (item: T, shown: string) => string;
}

/** The escaped values of a column, one for each row; undefined if the service does not send it. */
type Cells = readonly (string | undefined)[];
const absent = '-';

/** Items per block: they are measured, laid out and written together. */
const blockSize = 1000;

/** The table is laid out for at least this width. */
const leastTerminal = 20;

/**
 * Writes a table without borders, block by block, so a list of any length takes bounded memory. From
 * one block to the next, columns may become wider, never narrower. The header is repeated when a
 * column is added or the row needs another layout. Without items there is no header either.
 *
 * Not by cli-table3, which needs all rows before it prints the first, takes 170 ms for 1,000 rows (this
 * code 30), and cannot put a row on several lines.
 *
 * @param width of the terminal in columns, which no line exceeds; undefined: nothing is cut
 * @param hidesHeader writes the rows alone
 */
export async function* tableChunks<T>(
  items: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
  width: number | undefined,
  hidesHeader = false,
): AsyncGenerator<string, void, undefined> {
  const table = new Table(columns, width, hidesHeader);
  for await (const block of inBlocks(items, blockSize)) yield await table.block(block);
}

class Table<T> {
  readonly #columns: readonly Column<T>[];
  readonly #width: number | undefined;
  readonly #hidesHeader: boolean;
  /** Width of the widest value so far, by column; undefined while an optional column has no value. */
  readonly #widest: (number | undefined)[];
  #lastArrangement: string | undefined;

  constructor(columns: readonly Column<T>[], width: number | undefined, hidesHeader: boolean) {
    this.#columns = columns;
    this.#hidesHeader = hidesHeader;
    this.#width = width === undefined ? undefined : Math.max(width, leastTerminal);
    this.#widest = columns.map(({title, optional}) => {
      if (optional) return undefined;
      return hidesHeader ? 0 : title.length;
    });
  }

  /** The lines of a block of items, after a header if one is due. */
  async block(items: readonly T[]): Promise<string> {
    // Column by column: no array for each row.
    const texts = mapped(this.#columns, ({value}) =>
      escapeControls(mapped(items, (item) => value(item) || undefined)),
    );
    const measurer = await measurerFor(mapped(texts, (column) => column.join('')));
    const cells = mapped(texts, (column) =>
      mapped(column, (text) => text && measurer.standalone(text)),
    );
    for (const [index, column] of cells.entries()) this.#widenTo(index, column, measurer);
    const layout = this.#layout();
    let lines = this.#headerIfDue(layout, measurer);
    for (const [row, item] of items.entries()) {
      lines += this.#draw(layout, measurer, cells, row, item);
    }
    return lines;
  }

  #widenTo(index: number, cells: Cells, {width}: TextMeasurer): void {
    let widest = this.#widest[index];
    for (const cell of cells) {
      if (cell === undefined) continue;
      widest ??= this.#hidesHeader ? 0 : this.#columns[index]?.title.length;
      widest = Math.max(widest ?? 0, width(cell));
    }
    this.#widest[index] = widest;
  }

  /** Places the columns that have a value. */
  #layout(): Layout {
    const requests = this.#columns.flatMap(({cuttable = false}, column) => {
      const width = this.#widest[column];
      return width === undefined ? [] : {column, width, cuttable};
    });
    return layoutColumns(requests, this.#width);
  }

  #headerIfDue(layout: Layout, measurer: TextMeasurer): string {
    if (this.#hidesHeader) return '';
    const arrangement = layout.map((line) => line.map(({column}) => column).join()).join('|');
    if (arrangement === this.#lastArrangement) return '';
    const separator = this.#lastArrangement === undefined ? '' : '\n';
    this.#lastArrangement = arrangement;
    const titles = this.#columns.map(({title}) => [title]);
    return separator + this.#draw(layout, measurer, titles, 0);
  }

  /** One row, on as many lines as the layout has; styled if it is an item's. */
  #draw(
    layout: Layout,
    measurer: TextMeasurer,
    cells: readonly Cells[],
    row: number,
    item?: T,
  ): string {
    let text = '';
    for (const [index, slots] of layout.entries()) {
      if (index > 0) text += `\n${' '.repeat(indent)}`;
      let padding = 0;
      for (const {column, width} of slots) {
        const cell = cells[column]?.[row] ?? absent;
        const fitted = this.#width === undefined ? cell : measurer.cut(cell, width);
        text += spaces(padding) + this.#style(column, fitted, item);
        padding = Math.max(width - measurer.width(fitted), 0) + gap;
      }
    }
    return `${text}\n`;
  }

  #style(column: number, text: string, item: T | undefined): string {
    const style = this.#columns[column]?.style;
    return item === undefined || style === undefined ? text : style(item, text);
  }
}

/**
 * `Array.prototype.map` makes arrays of another kind once V8 has optimized it, and code that reads both kinds
 * is then repeatedly deoptimized.
 */
function mapped<From, To>(all: readonly From[], change: (one: From) => To): To[] {
  const results: To[] = [];
  for (const one of all) results.push(change(one));
  return results;
}

const pads: string[] = [];

/** This many spaces, cached: a long list needs the same ones repeatedly. */
function spaces(count: number): string {
  pads[count] ??= ' '.repeat(count);
  return pads[count];
}

/** Groups items into arrays of `size`. The last one may be shorter, and precedes an error of the source. */
async function* inBlocks<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let block: T[] = [];
  try {
    for await (const batch of batchesOf(items)) {
      for (const item of batch) {
        block.push(item);
        if (block.length < size) continue;
        yield block;
        block = [];
      }
    }
  } catch (error) {
    if (block.length > 0) yield block;
    throw error;
  }
  if (block.length > 0) yield block;
}
