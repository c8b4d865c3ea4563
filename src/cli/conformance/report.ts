import {countFindings, type Finding, verdictOf} from '../../domain/findings.js';
import {AppError} from '../../errors.js';
import type {Report} from '../../render/report/report.js';

/** The report of a run; with an error, that of a run that ended early. */
export function conformanceReport(
  service: string,
  startedAt: Date,
  found: readonly Finding[],
  error?: AppError,
): Report {
  const ended: readonly Finding[] =
    error === undefined
      ? []
      : [{id: 'service', subject: service, status: 'error', message: error.message}];
  const findings = [...found, ...ended];
  const counts = countFindings(findings);
  const verdict = verdictOf(counts);
  return {
    command: 'conformance',
    service,
    startedAt,
    duration: Date.now() - startedAt.getTime(),
    verdict,
    summary: error?.message ?? summarize(counts, verdict === 'empty'),
    counts,
    findings,
  };
}

function summarize(counts: Report['counts'], isEmpty: boolean): string {
  if (isEmpty) return 'Nothing was judged: every selected check was skipped or is open';
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
  const code = Reflect.get(error, 'code');
  const reason = code === 'ECONNREFUSED' ? 'connection-refused' : 'connection-failed';
  return new AppError('unavailable', `Cannot reach ${origin}: ${error.message}`, {
    reason,
    details: {origin, baseUrl: service},
  });
}
