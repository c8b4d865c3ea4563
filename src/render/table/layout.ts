/** The width that a column needs, in terminal columns, and whether its values may be cut. */
export interface ColumnRequest {
  /** Index of the column. */
  readonly column: number;
  readonly width: number;
  readonly cuttable: boolean;
}

/** A column placed on a line. */
interface ColumnSlot {
  readonly column: number;
  readonly width: number;
}

/** The lines of one row: one if everything fits, more on a narrow terminal. */
export type Layout = readonly (readonly ColumnSlot[])[];

/** Spaces between two columns. */
export const gap = 2;
/** Spaces before each line of a row except the first. */
export const indent = 2;

/** A column is cut below this width only if it is wider than a whole line. */
const leastCut = 12;

/** Without a terminal, values are aligned up to this width; a longer one shifts the rest of its row. */
const mostPadding = 256;

/**
 * Places columns in order on as few lines as possible. Each gets its minimum first: its width, but at
 * most 12 if it may be cut. The rest goes to the narrowest columns that need more, so the widest is
 * cut first. A column that is wider than a whole line is cut in any case.
 *
 * @param width of the terminal, at least `indent` + 1; undefined: no limit, one line
 */
export function layoutColumns(
  requests: readonly ColumnRequest[],
  width: number | undefined,
): Layout {
  if (width === undefined) {
    return [requests.map((request) => ({...request, width: Math.min(request.width, mostPadding)}))];
  }
  const lines: (readonly ColumnSlot[])[] = [];
  let line: ColumnRequest[] = [];
  let free = width;
  for (const request of requests) {
    const needed = minimumWidth(request) + (line.length > 0 ? gap : 0);
    if (needed <= free || line.length === 0) {
      line.push(request);
      free -= needed;
    } else {
      lines.push(distribute(line, free));
      line = [request];
      free = width - indent - minimumWidth(request);
    }
  }
  return [...lines, distribute(line, free)];
}

function minimumWidth({width, cuttable}: ColumnRequest): number {
  return cuttable ? Math.min(width, leastCut) : width;
}

/** Distributes the free columns of a line one by one; a negative number shrinks a single column. */
function distribute(line: readonly ColumnRequest[], free: number): readonly ColumnSlot[] {
  const slots = line.map((request) => ({
    column: request.column,
    wanted: request.width,
    width: minimumWidth(request) + Math.min(free, 0),
  }));
  for (let left = free; left > 0; left -= 1) {
    const [first, ...others] = slots.filter(({width, wanted}) => width < wanted);
    if (first === undefined) break;
    const narrowest = others.reduce(
      (least, slot) => (slot.width < least.width ? slot : least),
      first,
    );
    narrowest.width += 1;
  }
  return slots;
}
