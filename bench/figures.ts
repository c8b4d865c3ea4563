import os from 'node:os';

/** One figure of a benchmark, and its target. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly against?: string;
  readonly ratio?: string;
  readonly target?: string;
  readonly isMissed?: boolean;
}

/** A ratio, and the largest one as its target. @param shown the text of the target; undefined without one */
export function upTo(
  ratio: number,
  most?: number,
  shown = most?.toString(),
): Pick<Figure, 'ratio' | 'target' | 'isMissed'> {
  const text = `${ratio.toFixed(2)} ×`;
  if (most === undefined) return {ratio: text};
  return {ratio: text, target: `≤ ${shown} ×`, isMissed: ratio > most};
}

export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
export const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`;
export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`;
export const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** A rate, and the CPU time of the server for each request, which other programs disturb less. */
export const rateText = (rate: number, microseconds: number): string =>
  `${perSecond(rate)}, ${microseconds.toFixed(1)} µs`;

/** The machine and the version of Node.js. */
export function machine(): string {
  const [cpu] = os.cpus();
  return `Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown'}`;
}

/** Prints figures as a table that can be pasted where it is needed; the process exits with 1 when a target is missed. */
export function print(figures: readonly Figure[], title = machine()): void {
  const rows = figures.map(({what, measured, against = '', ratio = '', target = '', isMissed}) => {
    const verdict = isMissed ? 'MISSED' : 'reached';
    return [what, measured, against, ratio, target, target === '' ? '' : verdict];
  });
  console.log(`${title}\n`);
  console.log(markdown([['what', 'measured', 'against', 'ratio', 'target', ''], ...rows]));
  if (figures.some(({isMissed}) => isMissed)) process.exitCode = 1;
}

/** A table in Markdown. */
export function markdown([head = [], ...body]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...body].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
