import type {Finding, FindingStatus} from '../../domain/check/findings.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';
import {type Report, textOf} from '../report.js';

/** Maximum number of subjects that a group names. */
const mostNamed = 5;

/** Labels of statuses for people, four columns wide. */
export const statusLabels = {
  pass: {text: 'ok  ', color: 'success'},
  fail: {text: 'FAIL', color: 'error'},
  warn: {text: 'warn', color: 'warning'},
  skip: {text: 'skip', color: 'muted'},
  info: {text: 'info', color: 'muted'},
  error: {text: 'ERR ', color: 'error'},
} as const satisfies Record<FindingStatus, {text: string; color: keyof Palette}>;

/** A report for people: one line per check, and below it the affected connectors, grouped by finding. */
export const textReport = textOf(lines);

function* lines({findings, summary}: Report, palette: Palette): Generator<string> {
  const instances = groupBy(
    findings.filter(({status}) => status !== 'pass'),
    ({rule}) => rule ?? '',
  );
  for (const finding of findings) {
    if (finding.rule !== undefined) continue;
    const {text, color} = statusLabels[finding.status];
    yield `${palette[color](text)}  ${escapeControl(finding.message)}`;
    yield* groups(instances.get(finding.id) ?? []);
  }
  if (findings.length === 0)
    yield `${palette.error(statusLabels.fail.text)}  ${escapeControl(summary)}`;
}

/** `  offline    27   edge-044 (last heartbeat 3 h ago), … 26 more (-o json shows all)` */
function* groups(findings: readonly Finding[]): Generator<string> {
  const byCheck = groupBy(findings, ({id}) => id);
  const width = Math.max(0, ...[...byCheck.keys()].map((id) => id.length));
  const digits = Math.max(0, ...[...byCheck.values()].map(({length}) => String(length).length));
  for (const [id, members] of byCheck) {
    const named = members.slice(0, mostNamed).map(({message}) => escapeControl(message));
    const rest = members.length - named.length;
    const more = rest > 0 ? `, … ${rest} more (-o json shows all)` : '';
    const count = String(members.length).padStart(digits);
    yield `  ${id.padEnd(width)}  ${count}   ${named.join(', ')}${more}`;
  }
}

/** Groups findings by a key, in the order of its first occurrences. `Map.groupBy` needs Node 21. */
function groupBy(findings: readonly Finding[], keyOf: (finding: Finding) => string) {
  const grouped = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = keyOf(finding);
    const members = grouped.get(key);
    if (members === undefined) grouped.set(key, [finding]);
    else members.push(finding);
  }
  return grouped;
}
