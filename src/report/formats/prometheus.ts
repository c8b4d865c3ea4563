import {Gauge, Registry} from 'prom-client';
import type {Finding} from '../../domain/check/findings.js';
import type {Report} from '../report.js';

/** Maximum number of findings about connectors: each is a time series. */
const mostSeries = 1000;

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/**
 * A report in the text format of Prometheus, for the textfile collector of the node exporter. Labels tell the series of
 * several checks apart: of a series in several files, the exporter keeps one, and tells only its own log (node_exporter
 * 1.5.0). It also drops a metric whose help text differs from that in another file, so a help text must not change
 * between versions of this program.
 */
export function prometheusReport(report: Report): Promise<string> {
  const {findings, verdict, startedAt, duration, service, scope} = report;
  const rules = findings.filter(({rule, status}) => rule === undefined && status !== 'info');
  const instances = findings.filter(({rule, status}) => rule !== undefined && status !== 'pass');
  const registry = new Registry();
  registry.setDefaultLabels({...(service !== '' && {service}), ...scope});
  const add = (name: string, help: string, samples: readonly Sample[]) => {
    const [first] = samples;
    if (first === undefined) return;
    const labelNames = [...new Set(samples.flatMap(([, labels = {}]) => Object.keys(labels)))];
    const registers = [registry];
    const gauge = new Gauge({name: `connectorctl_check_${name}`, help, labelNames, registers});
    for (const [value, labels = {}] of samples) gauge.set(labels, value);
  };
  const success = verdict === 'pass' || verdict === 'warn' ? 1 : 0;
  add('success', '1 if the check was completed and no rule failed', [[success]]);
  add('timestamp_seconds', 'When the check began', [[startedAt.getTime() / 1000]]);
  add('duration_seconds', 'How long the check took', [[duration / 1000]]);
  add(
    'rule_success',
    'Whether a rule holds',
    rules.map(({id, status}) => [status === 'fail' || status === 'error' ? 0 : 1, {rule: id}]),
  );
  add(
    'rule_value',
    'The figure that a rule compared',
    rules.flatMap(({id, measurement}) => (measurement ? [[measurement.value, {rule: id}]] : [])),
  );
  const checks = [...new Set(instances.map(({id}) => id))];
  add(
    'findings',
    'Connectors with a finding, by check',
    checks.map((check) => [instances.filter(({id}) => id === check).length, {check}]),
  );
  add(
    'finding',
    'A connector with a finding; at most 1,000 of them',
    instances.slice(0, mostSeries).map((finding) => [1, labelsOf(finding)]),
  );
  return registry.metrics();
}

/** The id distinguishes connectors with one name; the finding of a missing connector may have no id. */
function labelsOf({id: check, subject, details}: Finding): Readonly<Record<string, string>> {
  const id = details?.['id'];
  return {check, subject, ...(typeof id === 'string' && {id})};
}
