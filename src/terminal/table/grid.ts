import {escapeControl} from '../escape.js';

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
