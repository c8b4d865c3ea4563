import {meaningOf} from '../../client/errors/network-codes.js';
import {countFindings, type Finding, verdictOf} from '../../domain/fleet/findings.js';
import {AppError} from '../../errors.js';
import type {Report} from '../../render/report/report.js';
import {errorCode} from '../../system/error-codes.js';
import {createReport, errorFinding} from '../report/create.js';

/** The report of a run; with an error, that of a run that ended early. */
export function conformanceReport(
  service: string,
  startedAt: Date,
  found: readonly Finding[],
  error?: AppError,
): Report {
  const ended = error === undefined ? [] : [errorFinding('service', service, error)];
  const findings = [...found, ...ended];
  const counts = countFindings(findings);
  const verdict = isUnjudged(findings) ? 'empty' : verdictOf(counts);
  const summary = error?.message ?? summarize(findings, counts, verdict === 'empty');
  return {
    ...createReport({command: 'conformance', service, startedAt}, findings, summary),
    verdict,
  };
}

const isMust = ({details}: Finding) => details?.['level'] === 'must';

/** Whether checks of the level must were selected, all of them were skipped, and nothing failed. */
function isUnjudged(findings: readonly Finding[]): boolean {
  const isWrong = findings.some(({status}) => status === 'fail' || status === 'error');
  return !isWrong && findings.some(isMust) && findings.filter(isMust).every(isSkipped);
}

const isSkipped = ({status}: Finding) => status === 'skip';

function summarize(
  findings: readonly Finding[],
  counts: Report['counts'],
  isEmpty: boolean,
): string {
  if (isEmpty) {
    return findings.some(isMust)
      ? 'No requirement of the interface was judged: every selected check of the level must was skipped'
      : 'Nothing was judged: every selected check was skipped or is open';
  }
  const {pass, fail, warn, error, skip, info} = counts;
  const judged = [`${pass} hold`, `${fail} fail`, `${warn} warn`];
  const others = [`${skip} skipped`, `${info} observed`];
  return [...judged, ...(error > 0 ? [`${error} failed to run`] : []), ...others].join(', ');
}

/** A failure to reach the service as the error of the command; undefined for any other. */
export function unreachableError(error: unknown, service: string): AppError | undefined {
  if (error instanceof AppError)
    return ['unavailable', 'auth'].includes(error.kind) ? error : undefined;
  if (!(error instanceof Error) || error.name !== 'Unreachable') return undefined;
  const {origin} = new URL(service);
  const code = errorCode(error);
  const {reason, message} = meaningOf(error, code);
  const known = `${message(new URL(service).host)} (${code})`;
  const what = code === undefined ? error.message : known;
  return new AppError('unavailable', `Cannot reach ${origin}: ${what}`, {
    reason,
    details: {origin, baseUrl: service},
  });
}
