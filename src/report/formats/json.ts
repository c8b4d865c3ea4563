import type {Finding} from '../../domain/fleet/findings.js';
import {type Report, textOf} from '../report.js';

/** Version of the shape of the JSON report. A change that breaks a reader raises it. */
const schema = 1;

/** A report as a JSON object; `findings` has one element per line. */
export const jsonReport = textOf(lines);

/** A report without its findings, in the names of the JSON format. */
function reportHead(report: Report): Readonly<Record<string, unknown>> {
  const {command, service, startedAt, duration, verdict, summary, counts} = report;
  return {
    schema,
    command,
    service,
    started_at: startedAt.toISOString(),
    duration_seconds: duration / 1000,
    verdict,
    summary,
    counts,
  };
}

function* lines(report: Report): Generator<string> {
  const head = JSON.stringify(reportHead(report), null, 2).slice(0, -2);
  if (report.findings.length === 0) {
    yield `${head},\n  "findings": []\n}`;
    return;
  }
  yield `${head},\n  "findings": [`;
  const last = report.findings.length - 1;
  for (const [index, finding] of report.findings.entries()) {
    yield `    ${JSON.stringify(findingJson(finding))}${index === last ? '' : ','}`;
  }
  yield '  ]\n}';
}

/** A finding in the names of the JSON format. */
function findingJson(finding: Finding): Readonly<Record<string, unknown>> {
  const {id, rule, subject, status, message, measurement, details} = finding;
  return {id, rule, subject, status, message, measurement, details};
}
