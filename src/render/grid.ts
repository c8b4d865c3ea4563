import {type Column, tableChunks} from './table.js';

/**
 * A table of a few rows that are all at hand, such as keys and profiles. On a narrow terminal a row
 * takes several lines, and only what is wider than all of it is cut.
 *
 * @param width of the terminal in columns; undefined: nothing is cut
 */
export async function renderGrid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
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
