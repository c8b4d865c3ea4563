import type {Finding, FindingStatus} from '../../domain/fleet/findings.js';
import {escapeControl} from '../escape.js';
import {inChunks, type Report} from './report.js';

/** Annotations that GitHub shows for one step, of each level. */
const mostAnnotations = 10;

/** The annotation of a finding; undefined for none. */
const levels = {
  error: 'error',
  fail: 'error',
  warn: 'warning',
  skip: undefined,
  info: undefined,
  pass: undefined,
} as const satisfies Record<FindingStatus, 'error' | 'warning' | undefined>;

/**
 * A report as workflow commands of GitHub Actions: at most ten annotations, and the summary as a
 * plain line. The table of all findings goes to `GITHUB_STEP_SUMMARY`; see `markdown.ts`.
 *
 * @param hasSummary whether that table was written
 */
export const renderGithub = inChunks(lines);

function* lines(report: Report, hasSummary = false): Generator<string> {
  const annotated = report.findings.filter(({status}) => levels[status] !== undefined);
  const fits = annotated.length <= mostAnnotations;
  const shown = fits ? annotated : annotated.slice(0, mostAnnotations - 1);
  for (const finding of shown) yield annotation(finding);
  if (!fits) {
    const rest = annotated.length - shown.length;
    const place = hasSummary ? '; see the job summary' : '';
    yield `::error title=connectorctl::${data(`${rest} more findings${place}.`)}`;
  }
  if (annotated.length === 0 && report.verdict === 'empty') {
    yield `::error title=connectorctl::${data(report.summary)}`;
  }
  // GitHub would execute a line that begins like a command.
  yield escapeControl(report.summary).replace(/^(\s*)(::|##\[)/, '$1.$2');
}

function annotation(finding: Finding): string {
  const {id, subject, status, message} = finding;
  return `::${levels[status]} title=${property(`${id} ${subject}`)}::${data(message)}`;
}

/** The message of a workflow command. */
function data(text: string): string {
  return escapeControl(text).replaceAll('%', '%25');
}

/** A property of a workflow command. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
