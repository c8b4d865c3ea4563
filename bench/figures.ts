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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(
    Math.ceil(middle) - 1,
    Math.floor(middle) + 1,
  );
  return (low + high) / 2;
}

export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
export const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`;
export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`;
export const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

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

/** Runs the measurements that the command line names, or all, and prints their figures. */
export async function report<Measure>(
  measures: Readonly<Record<string, Measure>>,
  run: (measure: Measure) => Promise<readonly Figure[]>,
  title?: string,
): Promise<void> {
  const words = process.argv.slice(2);
  const unknown = words.filter((word) => !Object.hasOwn(measures, word));
  if (unknown.length > 0) {
    const names = Object.keys(measures).join(', ');
    throw new Error(`There is no measurement ${unknown.join(', ')}; there are ${names}.`);
  }
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(measures)) {
    if (words.length > 0 && !words.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await run(measure)));
  }
  print(figures, title);
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
