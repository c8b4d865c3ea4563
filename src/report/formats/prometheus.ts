import type {Finding} from '../../domain/check/findings.js';
import {type Report, textOf} from '../report.js';

/** Maximum number of findings about connectors: each is a time series. */
const mostSeries = 1000;

/** A report in the text format of Prometheus, for the textfile collector of the node exporter. */
export const prometheusReport = textOf(lines);

function* lines(report: Report): Generator<string> {
  const rules = report.findings.filter(({rule, status}) => rule === undefined && status !== 'info');
  const instances = report.findings.filter(
    ({rule, status}) => rule !== undefined && status !== 'pass',
  );
  yield* gauge('success', '1 if the check was completed and no rule failed', [
    ['', report.verdict === 'pass' || report.verdict === 'warn' ? 1 : 0],
  ]);
  yield* gauge('timestamp_seconds', 'When the check began', [
    ['', report.startedAt.getTime() / 1000],
  ]);
  yield* gauge('duration_seconds', 'How long the check took', [['', report.duration / 1000]]);
  yield* gauge(
    'rule_success',
    'Whether a rule holds',
    rules.map((rule) => [labels({rule: rule.id}), isWell(rule) ? 1 : 0]),
  );
  yield* gauge(
    'rule_value',
    'The figure that a rule compared',
    rules.flatMap(({id, measurement}) =>
      measurement === undefined ? [] : [[labels({rule: id}), measurement.value] as const],
    ),
  );
  yield* gauge('findings', 'Connectors with a finding, by check', [...counted(instances)]);
  yield* gauge(
    'finding',
    'A connector with a finding; at most 1,000 of them',
    instances.slice(0, mostSeries).map((finding) => [labels(labelsOf(finding)), 1]),
  );
}

/** A gauge with its samples, one for each set of labels; nothing without samples. */
function* gauge(
  name: string,
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): Generator<string> {
  if (samples.length === 0) return;
  yield `# HELP connectorctl_check_${name} ${help}`;
  yield `# TYPE connectorctl_check_${name} gauge`;
  for (const [set, value] of new Map(samples)) yield `connectorctl_check_${name}${set} ${value}`;
}

function* counted(findings: readonly Finding[]): Generator<readonly [string, number]> {
  const counts = new Map<string, number>();
  for (const {id} of findings) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) yield [labels({check: id}), count];
}

/** The id distinguishes connectors with one name; the finding of a missing connector may have no id. */
function labelsOf({id: check, subject, details}: Finding): Readonly<Record<string, string>> {
  const id = details?.['id'];
  return {check, subject, ...(typeof id === 'string' && {id})};
}

function isWell({status}: Finding): boolean {
  return status !== 'fail' && status !== 'error';
}

function labels(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${pairs.join()}}`;
}

/** Label values are UTF-8 with three escapes; a lone surrogate has no UTF-8. */
function escaped(value: string): string {
  return value
    .replace(/\p{Cs}/gu, '\ufffd')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n');
}
