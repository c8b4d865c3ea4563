import type {Finding, FindingStatus} from '../../domain/check/findings.js';
import {labelOf} from '../../domain/check/sentence.js';
import {escapeControl} from '../../terminal/escape.js';
import {type Report, textOf} from '../report.js';

/**
 * A report as JUnit XML: one test case per finding, with its rule and check as the class, and its subject and id as the
 * name. Readers compare cases by both, so a repeated pair is numbered. `error`: the check could not run; `failure`: its
 * condition does not hold. A warning passes, with its message in `system-out`, because JUnit has no warnings. The time
 * of a case is 0, because it is not measured.
 */
export const junitReport = textOf(lines);

function* lines(report: Report): Generator<string> {
  const {counts, findings} = report;
  const totals = {
    tests: findings.length,
    failures: counts.fail,
    errors: counts.error,
    skipped: counts.skip,
    time: report.duration / 1000,
  };
  const suite = {
    name: [report.command, report.service, ...Object.values(report.scope ?? {})].join(' ').trim(),
    timestamp: report.startedAt.toISOString(),
    hostname: report.service,
    ...totals,
  };
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield `<testsuites ${attributes({name: 'connectorctl', ...totals})}>`;
  yield `  <testsuite ${attributes(suite)}>`;
  const seen = new Map<string, number>();
  for (const finding of findings) yield testCase(finding, seen);
  yield `    <system-out>${text(report.summary)}</system-out>`;
  yield '  </testsuite>';
  yield '</testsuites>';
}

/** @param seen the number of earlier cases by class and name; a repeated one gets a number */
function testCase(finding: Finding, seen: Map<string, number>): string {
  const {id, rule, subject, status, message} = finding;
  const classname = rule === undefined ? id : `${rule}.${id}`;
  const label = escapeControl(labelOf(subject, rule && finding.details?.['id']?.toString()));
  const count = (seen.get(classname + label) ?? 0) + 1;
  seen.set(classname + label, count);
  const name = count === 1 ? label : `${label} #${count}`;
  const result = results[status];
  const lines = shownDetails(finding);
  const content = result === 'system-out' ? [`${status}: ${message}`, ...lines] : lines;
  const about = {
    ...(result !== 'system-out' && {message}),
    ...((result === 'failure' || result === 'error') && {type: id}),
  };
  const inner = result && element(result, about, content.map(text).join('\n'));
  return `    ${element('testcase', {classname, name, time: 0}, inner)}`;
}

/** The element in a test case by the status of its finding; a passed case is empty. */
const results = {
  fail: 'failure',
  error: 'error',
  skip: 'skipped',
  pass: '',
  warn: 'system-out',
  info: 'system-out',
} as const satisfies Record<FindingStatus, string>;

/**
 * The details of a finding, unless it passed or was skipped. Findings of a rule have none, since there may be 100,000 of
 * them.
 */
function shownDetails({status, rule, details = {}}: Finding): readonly string[] {
  if (status === 'pass' || status === 'skip' || rule !== undefined) return [];
  return Object.entries(details).flatMap(([name, value]) =>
    value === null || typeof value === 'boolean' ? [] : [`${name}: ${value}`],
  );
}

/** @param content escaped XML */
function element(name: string, about: Parameters<typeof attributes>[0], content: string): string {
  const head = [name, attributes(about)].join(' ').trim();
  return content === '' ? `<${head}/>` : `<${head}>${content}</${name}>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${text(String(value)).replaceAll('"', '&quot;')}"`)
    .join(' ');
}

/** Shows control characters and lone surrogates as escapes: XML 1.0 §2.2 refuses most of them. */
function text(value: string): string {
  return escapeControl(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
