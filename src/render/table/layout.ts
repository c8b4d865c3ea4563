/** What a column wants: its width in terminal columns, and whether its values may be cut. */
export interface ColumnRequest {
  /** Index of the column. */
  readonly column: number;
  readonly width: number;
  readonly cuttable: boolean;
}

/** A column placed on a line. */
export interface ColumnSlot {
  readonly column: number;
  readonly width: number;
}

/** The lines that one row takes: one where everything fits, more on a narrow terminal. */
export type Layout = readonly (readonly ColumnSlot[])[];

/** Spaces between two columns. */
export const gap = 2;
/** Spaces before each line of a row but the first. */
export const indent = 2;

/** A column is not cut below this many terminal columns while there is another way. */
const leastCut = 12;

/** Without a terminal values are aligned up to this width; a longer one moves the rest of its row. */
const mostPadding = 256;

/**
 * Places columns on as few lines as fit, in order. Each first gets what it needs at least: a
 * cuttable one 12 at most, the others all they want. What is left goes to the narrowest that want
 * more, so that the widest value is cut first. Only a column that is wider than a whole line is cut
 * beyond that.
 *
 * @param width of the terminal, at least `indent` + 1; undefined: no limit, one line
 */
export function layoutColumns(
  demands: readonly ColumnRequest[],
  width: number | undefined,
): Layout {
  if (width === undefined) {
    return [demands.map((demand) => ({...demand, width: Math.min(demand.width, mostPadding)}))];
  }
  const lines: (readonly ColumnSlot[])[] = [];
  let line: ColumnRequest[] = [];
  let free = width;
  for (const demand of demands) {
    const needed = minimumWidth(demand) + (line.length > 0 ? gap : 0);
    if (needed <= free || line.length === 0) {
      line.push(demand);
      free -= needed;
    } else {
      lines.push(distribute(line, free));
      line = [demand];
      free = width - indent - minimumWidth(demand);
    }
  }
  return [...lines, distribute(line, free)];
}

function minimumWidth({width, cuttable}: ColumnRequest): number {
  return cuttable ? Math.min(width, leastCut) : width;
}

/** Gives the free columns of a line out one by one; takes back what a single column has too much. */
function distribute(line: readonly ColumnRequest[], free: number): readonly ColumnSlot[] {
  const slots = line.map((demand) => ({
    column: demand.column,
    wanted: demand.width,
    width: minimumWidth(demand) + Math.min(free, 0),
  }));
  for (let left = free; left > 0; left--) {
    const short = slots.filter(({width, wanted}) => width < wanted);
    const [first, ...others] = short;
    if (first === undefined) break;
    others.reduce((least, slot) => (slot.width < least.width ? slot : least), first).width++;
  }
  return slots;
}
