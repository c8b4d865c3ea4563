import {escapeControl} from '../escape.js';

/** The places of lines around and between cells, which stay empty; two spaces separate columns. */
const places =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';
const borderless = {
  ...Object.fromEntries(places.split(' ').map((place) => [place, ''])),
  middle: '  ',
};

/**
 * A table whose rows are all known before it is printed, such as keys and profiles. Nothing is cut, so an id can always
 * be copied.
 */
export async function renderGrid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const {default: Table} = await import('cli-table3');
  // Empty styles: the library would color header and borders even without a terminal.
  const style = {head: [], border: [], 'padding-left': 0, 'padding-right': 0};
  const table = new Table({chars: borderless, style});
  const shown = rows.map((row) => row.map((cell) => (cell === '' ? '-' : escapeControl(cell))));
  table.push([...head], ...shown);
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}
