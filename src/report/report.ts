import {
  countFindings,
  type Finding,
  type FindingCounts,
  type Verdict,
  verdictOf,
} from '../domain/check/findings.js';
import type {AppError} from '../errors.js';

/** The flags that select what is checked; they distinguish several checks of one service. */
export type Scope = Readonly<{name?: string; inventory?: string}>;

/** The scope of a command line. */
export function scopeOf(flags: {
  name?: readonly string[] | undefined;
  expect?: string | undefined;
}): Scope {
  const {name, expect: inventory} = flags;
  return {...(name && {name: name.join()}), ...(inventory && {inventory})};
}

/** The findings of a command, and its overall result. */
export interface Report {
  /** The command, for instance `connector check`. */
  readonly command: string;
  /** Base URL of the examined service; empty when the command ended before it was known. */
  readonly service: string;
  /** The part of the service that the report covers. */
  readonly scope?: Scope | undefined;
  readonly startedAt: Date;
  /** Duration in milliseconds. */
  readonly duration: number;
  readonly verdict: Verdict;
  /** The verdict in one sentence. */
  readonly summary: string;
  readonly counts: FindingCounts;
  readonly findings: readonly Finding[];
}

/** A finished run: its report, and the error that ended it early, if any. */
export interface ReportRun {
  readonly report: Report;
  readonly error?: AppError | undefined;
}

/** The report of a command that ends now. */
export function createReport(
  about: Pick<Report, 'command' | 'scope' | 'service' | 'startedAt'>,
  findings: readonly Finding[],
  summary: string,
): Report {
  const counts = countFindings(findings);
  const duration = Date.now() - about.startedAt.getTime();
  return {...about, duration, verdict: verdictOf(counts), summary, counts, findings};
}

/** The finding of an error that ended a command early. */
export function errorFinding(
  id: string,
  subject: string,
  {message}: Pick<AppError, 'message'>,
): Finding {
  return {id, subject, status: 'error', message};
}

/** The report of a command that an error ended before it had another finding. */
export function errorReport(
  about: Parameters<typeof createReport>[0],
  id: string,
  subject: string,
  {message}: Pick<AppError, 'message'>,
): Report {
  return createReport(about, [errorFinding(id, subject, {message})], message);
}

/** Turns a generator of lines into a function that returns them as text, each ended by a line feed. */
export function textOf<Arguments extends readonly unknown[]>(
  lines: (...args: Arguments) => Iterable<string>,
): (...args: Arguments) => string {
  return (...args) => `${[...lines(...args)].join('\n')}\n`;
}
