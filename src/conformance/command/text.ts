import {countFindings, type Finding, verdictOf} from '../../domain/check/findings.js';
import type {AppError} from '../../errors.js';
import {statusLabels} from '../../report/formats/text.js';
import {createReport, errorFinding, type Report} from '../../report/report.js';
import {escapeControl, type Palette} from '../../terminal/escape.js';
import type {Check} from '../model.js';

/** Spaces before the lines below a finding. */
const indent = ' '.repeat(6);

/** The order on the screen: findings that need work come last. */
const order = {pass: 0, skip: 0, info: 0, warn: 1, error: 2, fail: 3} as const;

/** A line per check, failures last. Below a fail, warn or error are details, below an open point the reference. */
export function renderConformance(
  {findings, summary}: Report,
  palette: Palette,
  showsOpen: boolean,
): string {
  const shown = findings
    .filter(({status, details}) => showsOpen || details?.['level'] !== 'open' || order[status] > 0)
    .toSorted((one, other) => order[one.status] - order[other.status]);
  const lines = shown.flatMap((finding) => renderFinding(finding, palette));
  const hidden = findings.length - shown.length;
  const more = hidden === 0 ? '' : ` (${hidden} more with --open-points)`;
  return `${[...lines, '', escapeControl(summary) + more].join('\n')}\n`;
}

function renderFinding(
  {id, status, message, subject, details = {}}: Finding,
  palette: Palette,
): readonly string[] {
  const {text, color} = statusLabels[status];
  const {source, curl} = details;
  const level = String(details['level'] ?? '');
  const head = `${palette[color](text)}  ${id.padEnd(24)} ${level.padEnd(9)} ${escapeControl(message)}`;
  const reference = `${indent}reference service: ${escapeControl(String(details['reference']))}`;
  if (status === 'info' && level === 'open') return [head, reference];
  if (!['fail', 'warn', 'error'].includes(status) || level === '') return [head];
  return [
    head,
    `${indent}${escapeControl(subject)} (${source})`,
    reference,
    ...(typeof curl === 'string' ? [indent + escapeControl(curl)] : []),
  ];
}

/** The list of checks: id, level, requirements and title. */
export function renderList(checks: readonly Check[]): string {
  const lines = checks.map(({id, level, needs = [], title}) => {
    const needed = needs.length === 0 ? '' : ` (needs ${needs.join(', ')})`;
    return `${id.padEnd(24)} ${level.padEnd(9)} ${title}${needed}`;
  });
  return `${lines.join('\n')}\n`;
}

/** The list of checks as `--json` shows it. */
export function listJson(checks: readonly Check[]): readonly object[] {
  return checks.map(({id, level, title, source, reference, needs = []}) => {
    return {id, level, title, source, reference, needs};
  });
}

/**
 * The report of a run. With `strict`, a skipped check of the level `must` makes it fail.
 *
 * @param error the error that ended the run early
 */
export function conformanceReport(
  {service, startedAt, strict}: Pick<Report, 'service' | 'startedAt'> & {readonly strict: boolean},
  found: readonly Finding[],
  error?: AppError,
): Report {
  const ended = error === undefined ? [] : [errorFinding('service', service, error)];
  const findings = [...found, ...ended];
  const counts = countFindings(findings);
  const unevaluated = strict ? idsOf(found, isSkippedMust) : '';
  const verdict = verdictOf(counts);
  const summary = error?.message ?? summarize(counts, found, unevaluated);
  return {
    ...createReport({command: 'conformance', service, startedAt}, findings, summary),
    verdict: unevaluated !== '' && ['pass', 'warn'].includes(verdict) ? 'empty' : verdict,
  };
}

const idsOf = (found: readonly Finding[], isMeant: (finding: Finding) => boolean) =>
  found
    .filter(isMeant)
    .map(({id}) => id)
    .join(', ');

const isSkippedMust = ({status, details}: Finding) =>
  status === 'skip' && details?.['level'] === 'must';

/** Counts the findings, and names those that failed. @param unevaluated the ids of skipped checks that had to run */
function summarize(
  counts: Report['counts'],
  found: readonly Finding[],
  unevaluated: string,
): string {
  const {pass, fail, warn, error, skip, info} = counts;
  const broken = error > 0 ? `, ${error} failed to run` : '';
  const failed = idsOf(found, ({status}) => status === 'fail' || status === 'error');
  const unseen = found
    .filter(({status, details}) => status === 'info' && details?.['level'] !== 'open')
    .map(({id, message}) => `${id} (${message})`);
  const sentences = [
    `${pass} hold, ${fail} fail, ${warn} warn${broken}, ${skip} skipped, ${info} observed`,
    failed && `Failed: ${failed}`,
    unseen.length > 0 && `Not seen: ${unseen.join(', ')}`,
    verdictOf(counts) === 'empty' && 'Nothing was evaluated, so nothing passed',
    unevaluated &&
      `Not evaluated: ${unevaluated}. Pass what these checks need, or name them with --skip`,
  ];
  return sentences.filter(Boolean).join('. ');
}
