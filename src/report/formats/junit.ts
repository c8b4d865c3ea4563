import type {Finding} from '../../domain/check/findings.js';
import {labelOf} from '../../domain/check/sentence.js';
import {escapeControl} from '../../terminal/escape.js';
import {type Report, textOf} from '../report.js';

/**
 * A report as JUnit XML: one test case per finding, with its rule and check as the class, and its subject and id as the
 * name. Readers compare cases by both, so no two cases have the same. `error`: the check could not run; `failure`: its
 * condition does not hold. A warning passes, with its message in `system-out`, because JUnit has no warnings. The time
 * of a case is not measured, and 0.
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

/** @param seen how many cases have had a class and a name */
function testCase(finding: Finding, seen: Map<string, number>): string {
  const {id, rule, subject, status, message} = finding;
  const classname = rule === undefined ? id : `${rule}.${id}`;
  const label = escapeControl(labelOf(subject, rule && finding.details?.['id']?.toString()));
  const count = (seen.get(classname + label) ?? 0) + 1;
  seen.set(classname + label, count);
  const name = count === 1 ? label : `${label} #${count}`;
  const head = `    <testcase ${attributes({classname, name, time: 0})}`;
  const because = attributes({message});
  const lines = shownDetails(finding).map(([name, value]) => text(`${name}: ${value}`));
  const details = lines.join('\n');
  switch (status) {
    case 'fail':
      return `${head}>${element(`failure ${because} type="${attribute(id)}"`, details)}</testcase>`;
    case 'error':
      return `${head}>${element(`error ${because} type="${attribute(id)}"`, details)}</testcase>`;
    case 'skip':
      return `${head}><skipped ${because}/></testcase>`;
    case 'pass':
      return `${head}/>`;
    case 'warn':
    case 'info':
      return `${head}>${element('system-out', [`${status}: ${text(message)}`, ...lines].join('\n'))}</testcase>`;
  }
}

/**
 * The details of a finding, as name and text, unless it passed or was skipped. Findings of a rule have none, since
 * there may be 100,000 of them.
 */
function shownDetails({
  status,
  rule,
  details = {},
}: Finding): readonly (readonly [string, string])[] {
  if (status === 'pass' || status === 'skip' || rule !== undefined) return [];
  return Object.entries(details).flatMap(([name, value]) =>
    value === null || typeof value === 'boolean' ? [] : [[name, String(value)] as const],
  );
}

function element(head: string, content: string): string {
  return content === '' ? `<${head}/>` : `<${head}>${content}</${head.split(' ', 1)[0]}>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${attribute(String(value))}"`)
    .join(' ');
}

/** Control characters and lone surrogates, which XML 1.0 §2.2 refuses, are shown as escapes. */
function text(value: string): string {
  return escapeControl(value)
    .replace(/[\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function attribute(value: string): string {
  return text(value).replaceAll('"', '&quot;');
}
