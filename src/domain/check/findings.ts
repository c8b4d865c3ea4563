/**
 * The possible statuses of a check, the worst first.
 * `pass`, `fail`: the check ran, and its condition holds or does not.
 * `warn`: the condition does not hold, but that counts as a warning only.
 * `skip`: the check did not run; the message says why.
 * `info`: an observation that is not evaluated.
 * `error`: the check could not run, so its result is unknown.
 */
export const findingStatuses = ['error', 'fail', 'warn', 'skip', 'info', 'pass'] as const;

export type FindingStatus = (typeof findingStatuses)[number];

/** A figure that a check compared with bounds, for monitoring systems. */
export interface Measurement {
  readonly value: number;
  /** `%` or `s`; empty for a count. */
  readonly unit: '%' | 's' | '';
  /** Values from `min` to `max`, both included, do not warn. */
  readonly warning?: Bounds | undefined;
  /** Values from `min` to `max`, both included, do not fail. */
  readonly critical?: Bounds | undefined;
}

/** A range of acceptable values; without `min` or `max` it has no bound on that side. */
export interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** The result of one check. None of it may hold a secret. */
export interface Finding {
  /** The check, for instance `min-online` or `4.2/single-use`; stable across versions. */
  readonly id: string;
  /** The subject of the check: a connector's name, a row of a file, or the service. */
  readonly subject: string;
  readonly status: FindingStatus;
  /** One sentence, without a line feed. */
  readonly message: string;
  /**
   * The rule that this finding is an instance of. Formats for people list findings with a `rule` below
   * it, or count them when there are many.
   */
  readonly rule?: string | undefined;
  readonly measurement?: Measurement | undefined;
  /** Further facts, for formats for programs. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

/**
 * The overall result of all findings.
 * `empty`: nothing was measured, which is not a pass.
 */
export const verdicts = ['pass', 'warn', 'fail', 'empty', 'error'] as const;

export type Verdict = (typeof verdicts)[number];

export type FindingCounts = Readonly<Record<FindingStatus, number>>;

export function countFindings(findings: Iterable<Finding>): FindingCounts {
  const counts = {pass: 0, fail: 0, warn: 0, skip: 0, info: 0, error: 0};
  for (const {status} of findings) counts[status] += 1;
  return counts;
}

/** The verdict for these counts. An `error` outweighs all others. */
export function verdictOf({error, fail, warn, pass}: FindingCounts): Verdict {
  if (error > 0) return 'error';
  if (fail > 0) return 'fail';
  if (warn > 0) return 'warn';
  return pass > 0 ? 'pass' : 'empty';
}
