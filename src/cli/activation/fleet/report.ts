import type {Finding, FindingStatus} from '../../../domain/fleet/findings.js';
import {type ActivationResult, activationResults} from '../../../render/formats/activations.js';
import type {Report} from '../../../render/report/report.js';
import {createReport, errorFinding} from '../../report/create.js';
import {cannotWriteReason} from '../files.js';
import type {FleetOutcome} from './run.js';

const statuses: Readonly<Record<ActivationResult['result'], FindingStatus>> = {
  activated: 'pass',
  already: 'pass',
  planned: 'pass',
  failed: 'fail',
  uncertain: 'fail',
  skipped: 'skip',
};

/** A run over a list of machines as a report: one finding per row, and one for what stopped it. */
export function fleetReport(
  {results, stoppedBy}: FleetOutcome,
  {
    service,
    directory,
    startedAt,
  }: {readonly service: string; readonly directory: string; readonly startedAt: Date},
): Report {
  const findings = results.map(findingOf);
  if (stoppedBy !== undefined) {
    const isLocal = stoppedBy.reason === cannotWriteReason;
    const [id, subject] = isLocal ? ['directory', directory] : ['service', service];
    findings.unshift(errorFinding(id, subject, stoppedBy));
  }
  const about = {command: 'connector enroll', service, startedAt};
  return createReport(about, findings, summaryOf(results));
}

function findingOf({machine, result, id, error}: ActivationResult): Finding {
  const {line, name, file} = machine;
  return {
    id: result,
    subject: name,
    status: statuses[result],
    message: error?.message ?? `${name} is ${sentences[result]}`,
    details: {line, file, id: id ?? null, ...(error !== undefined && {error: error.kind})},
  };
}

const sentences: Readonly<Record<ActivationResult['result'], string>> = {
  activated: 'activated',
  already: 'activated already',
  planned: 'to be activated',
  failed: 'not activated',
  uncertain: 'perhaps activated',
  skipped: 'left alone',
};

/** `500 machines: 498 activated, 2 failed` */
function summaryOf(results: readonly ActivationResult[]): string {
  if (results.length === 0) return 'The list has no machines; nothing was activated';
  const parts = activationResults
    .map((wanted) => [results.filter(({result}) => result === wanted).length, wanted] as const)
    .filter(([count]) => count > 0)
    .map(([count, wanted]) => `${count} ${wanted}`);
  const machines = results.length === 1 ? '1 machine' : `${results.length} machines`;
  const keyless = results.filter(({hasKey}) => hasKey === false).length;
  const files = keyless === 1 ? '1 file holds' : `${keyless} files hold`;
  return `${machines}: ${parts.join(', ')}${keyless === 0 ? '' : `; ${files} no known API key`}`;
}
