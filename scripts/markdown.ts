/** A text as code of Markdown. */
export const code = (text: string) => `\`${text}\``;

const cell = (text: string) => text.replaceAll('|', '\\|');

/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
