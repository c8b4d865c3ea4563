import type {ReportJson} from '../output.js';
import type {Report} from '../report.js';

/** A report as a JSON object. */
export function jsonReport(report: Report): string {
  const {command, service, startedAt, duration, verdict, summary, counts, findings} = report;
  const shown: ReportJson = {
    schema: 1,
    command,
    service,
    started_at: startedAt.toISOString(),
    duration_seconds: duration / 1000,
    verdict,
    summary,
    counts,
    findings: findings.map(({id, rule, subject, status, message, measurement, details}) => {
      return {id, rule, subject, status, message, measurement, details};
    }),
  };
  return `${JSON.stringify(shown, null, 2)}\n`;
}
