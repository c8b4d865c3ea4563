import type {Sample} from './store/http-load.js';

/** One figure of a benchmark, and its target. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly against: string;
  readonly ratio: string;
  readonly target: string;
  readonly reached: boolean;
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

/** A quantile of the times of samples, in milliseconds. */
export function quantile(samples: readonly Sample[], part: number): number {
  const sorted = samples.map(({took}) => took).sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
export const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`;
export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`;
export const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** The figures as a table in Markdown, so that it can be pasted where it is needed. */
export function table(figures: readonly Figure[]): string {
  return markdown([
    ['what', 'measured', 'against', 'ratio', 'target', ''],
    ...figures.map((figure) => [
      figure.what,
      figure.measured,
      figure.against,
      figure.ratio,
      figure.target,
      figure.target === '' ? '' : figure.reached ? 'reached' : 'MISSED',
    ]),
  ]);
}

/** A table in Markdown. */
export function markdown([head = [], ...body]: readonly (readonly string[])[]): string {
  const rows = [head, head.map(() => '---'), ...body];
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        cell === '---' ? '-'.repeat(widths?.[column] ?? 3) : cell.padEnd(widths?.[column] ?? 0),
      );
      return `| ${cells.join(' | ')} |`;
    })
    .join('\n');
}
