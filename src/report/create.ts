import {countFindings, type Finding, verdictOf} from '../domain/fleet/findings.js';
import type {AppError} from '../errors.js';
import type {Report} from './report.js';

/** A run that is over: its report, and the error that ended it early. */
export interface ReportRun {
  readonly report: Report;
  readonly error?: AppError | undefined;
}

/** The report of a command that ends now. */
export function createReport(
  about: Pick<Report, 'command' | 'service' | 'startedAt'>,
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
