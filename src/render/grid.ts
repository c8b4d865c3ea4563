import {escapeControl} from './escape.js';

/**
 * A borderless table of a few rows that are all at hand, such as keys and profiles. The connector
 * list has its own (`table.ts`): it streams, and it fits the terminal.
 */
export async function renderGrid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const {default: Table} = await import('cli-table3');
  const none = '';
  const table = new Table({
    head: [...head],
    chars: {
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
    },
    // Empty styles: the library would colour head and borders even where there is no terminal.
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0},
  });
  table.push(...rows.map((row) => row.map((cell) => (cell === '' ? '-' : escapeControl(cell)))));
  const lines = table.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}
