import {type Finding, findingStatuses} from '../../domain/check/findings.js';
import {figure} from '../../domain/words.js';
import {escapeControl} from '../../terminal/escape.js';
import {type Report, textOf} from '../report.js';

const labels = {
  pass: 'passed',
  warn: 'passed with warnings',
  fail: 'failed',
  empty: 'nothing measured',
  error: 'could not be evaluated',
} as const;

/** A report as Markdown with a table, worst findings first; for a pull request or a job summary. */
export const markdownReport = textOf(lines);

function* lines(report: Report): Generator<string> {
  const {command, verdict, summary, service, startedAt, counts, findings} = report;
  yield `## connectorctl ${command}: ${labels[verdict]}`;
  yield '';
  yield escaped(summary);
  yield '';
  yield `${service === '' ? '' : `Service ${code(service)}, `}${startedAt.toISOString()}.`;
  if (findings.length === 0) return;
  yield '';
  yield findingStatuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${figure(counts[status])} ${status}`)
    .join(', ');
  yield '';
  yield '| status | check | subject | finding |';
  yield '| --- | --- | --- | --- |';
  for (const status of findingStatuses) {
    for (const finding of findings) if (finding.status === status) yield row(finding);
  }
}

function row({status, id, subject, message}: Finding): string {
  const shown = status === 'fail' || status === 'error' ? `**${status}**` : status;
  return `| ${shown} | ${code(id)} | ${escaped(subject)} | ${escaped(message)} |`;
}

/** Escapes a text for Markdown, so that it cannot add markup, HTML, a mention, a link or the end of a table's cell. */
function escaped(text: string): string {
  return (
    escapeControl(text)
      .replace(/[\\`*_{}[\]()#+!|~^$-]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Entities, so that GitHub takes none for a mention or a link.
      .replaceAll('@', '&#64;')
      .replaceAll('://', ':&#47;&#47;')
      .replace(/(www)\./gi, '$1&#46;')
  );
}

function code(text: string): string {
  return `\`${escapeControl(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}
