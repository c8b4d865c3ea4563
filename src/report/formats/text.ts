import type {Finding, FindingStatus} from '../../domain/check/findings.js';
import {firstOf} from '../../domain/words.js';
import {escapeControl, type Palette} from '../../terminal/escape.js';
import {type Report, textOf} from '../report.js';

/** Maximum number of findings of one check that are shown. */
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

/** A report for people: one line per check, and below it the affected connectors. */
export const textReport = textOf(lines);

function* lines({findings, summary}: Report, palette: Palette): Generator<string> {
  const instances = findings.filter(({rule, status}) => rule !== undefined && status !== 'pass');
  for (const finding of findings) {
    if (finding.rule !== undefined) continue;
    const {text, color} = statusLabels[finding.status];
    yield `${palette[color](text)}  ${escapeControl(finding.message)}`;
    yield* groups(instances.filter(({rule}) => rule === finding.id));
  }
  if (findings.length === 0)
    yield `${palette.error(statusLabels.fail.text)}  ${escapeControl(summary)}`;
}

/** A line for each of the first findings of a check, and one that counts the rest. */
function* groups(findings: readonly Finding[]): Generator<string> {
  for (const check of new Set(findings.map(({id}) => id))) {
    const texts = findings
      .filter(({id}) => id === check)
      .map(({message}) => escapeControl(message));
    for (const text of firstOf(texts, mostNamed, ` ${check} (-o json shows all)`))
      yield `      ${text}`;
  }
}
