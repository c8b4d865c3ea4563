import {countFindings, type Finding, verdictOf} from '../../domain/check/findings.js';
import type {AppError} from '../../errors.js';
import {createReport, errorFinding, type Report} from '../../report/report.js';

/** The run that a report describes. */
interface Run {
  readonly service: string;
  readonly startedAt: Date;
  /** Whether a skipped check of the level `must` makes the run fail. */
  readonly strict: boolean;
}

/** The report of a run. @param error the error that ended the run early */
export function conformanceReport(
  {service, startedAt, strict}: Run,
  found: readonly Finding[],
  error?: AppError,
): Report {
  const ended = error === undefined ? [] : [errorFinding('service', service, error)];
  const findings = [...found, ...ended];
  const counts = countFindings(findings);
  const unevaluated = strict ? found.filter(isSkippedMust).map(({id}) => id) : [];
  const verdict = verdictOf(counts);
  const summary = error?.message ?? summarize(counts, found, unevaluated);
  return {
    ...createReport({command: 'conformance', service, startedAt}, findings, summary),
    verdict: unevaluated.length > 0 && ['pass', 'warn'].includes(verdict) ? 'empty' : verdict,
  };
}

const isSkippedMust = ({status, details}: Finding) =>
  status === 'skip' && details?.['level'] === 'must';

/** Whether a check that is evaluated elsewhere found nothing to evaluate here. */
const isUnseen = ({status, details}: Finding) =>
  status === 'info' && (details?.['level'] === 'must' || details?.['level'] === 'should');

/** Counts the findings, and names those that failed. @param unevaluated the ids of skipped checks that had to run */
function summarize(
  {pass, fail, warn, error, skip, info}: Report['counts'],
  found: readonly Finding[],
  unevaluated: readonly string[],
): string {
  const counted = [`${pass} hold`, `${fail} fail`, `${warn} warn`];
  const others = [`${skip} skipped`, `${info} observed`];
  const failed = error > 0 ? [`${error} failed to run`] : [];
  const names = found.filter(({status}) => status === 'fail' || status === 'error');
  const named = names.length === 0 ? '' : `. Failed: ${names.map(({id}) => id).join(', ')}`;
  const unseen = found.filter(isUnseen).map(({id}) => id);
  const missed = unseen.length === 0 ? '' : `. Not seen: ${unseen.join(', ')}`;
  const all = [...counted, ...failed, ...others].join(', ') + named + missed;
  if (unevaluated.length === 0) return all;
  return `${all}. Not evaluated: ${unevaluated.join(', ')}. Pass what these checks need, or name them with --skip`;
}
