import type {Finding} from '../../domain/findings.js';
import {escapeControl} from '../escape.js';
import {chunksOfLines, type Report, shownDetails} from './report.js';

/** A report by the Test Anything Protocol, version 14: one test point per finding that is judged. */
export function renderTap(report: Report): Iterable<string> {
  return chunksOfLines(lines(report));
}

function* lines(report: Report): Generator<string> {
  const judged = report.findings.length - report.counts.info;
  yield 'TAP version 14';
  // Many readers accept a plan without tests as a pass.
  yield report.verdict === 'empty' && judged === 0 ? '1..1' : `1..${judged}`;
  let number = 0;
  for (const finding of report.findings) {
    if (finding.status === 'info') {
      yield `# ${description(finding)}`;
      for (const [name, value] of shownDetails(finding)) yield `#   ${name}: ${escaped(value)}`;
      continue;
    }
    number += 1;
    yield* testPoint(number, finding);
  }
  if (report.verdict === 'empty' && judged === 0) yield `not ok 1 - ${escaped(report.summary)}`;
  yield `# ${escaped(report.summary)}`;
}

function* testPoint(number: number, finding: Finding): Generator<string> {
  const {status, message} = finding;
  const ok = status === 'fail' || status === 'error' ? 'not ok' : 'ok';
  const skip = status === 'skip' ? ` # SKIP ${escaped(message)}` : '';
  yield `${ok} ${number} - ${escaped(`${finding.id} ${finding.subject}`)}${skip}`;
  if (status === 'pass' || status === 'skip') return;
  yield '  ---';
  yield `  message: ${JSON.stringify(escapeControl(message))}`;
  yield `  severity: ${status}`;
  for (const [name, value] of shownDetails(finding))
    yield `  ${name}: ${JSON.stringify(escapeControl(value))}`;
  yield '  ...';
}

function description({id, subject, message}: Finding): string {
  return escaped(`${id} ${subject}: ${message}`);
}

/** `#` begins a directive and `\` an escape (TAP 14, "Escaping"). */
function escaped(text: string): string {
  return escapeControl(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}
