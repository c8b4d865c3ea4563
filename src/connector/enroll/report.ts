import type {Finding, FindingStatus} from '../../domain/fleet/findings.js';
import {createReport, errorFinding} from '../../report/create.js';
import type {Report} from '../../report/report.js';
import {cannotWriteReason} from '../credentials/files.js';
import {type ActivationResult, activationResults} from './activations.js';
import type {FleetOutcome} from './run.js';

/** What each result means for a gate, and for people. */
const meanings = {
  activated: ['pass', 'activated'],
  already: ['pass', 'activated already'],
  planned: ['pass', 'to be activated'],
  failed: ['fail', 'not activated'],
  uncertain: ['fail', 'perhaps activated'],
  skipped: ['skip', 'left alone'],
} as const satisfies Record<ActivationResult['result'], readonly [FindingStatus, string]>;

/** A run over a list of machines as a report: one finding per row, and one for what stopped it. */
export function fleetReport(
  {results, stoppedBy}: FleetOutcome,
  about: {readonly service: string; readonly directory: string; readonly startedAt: Date},
): Report {
  const {service, directory, startedAt} = about;
  const findings = results.map(findingOf);
  if (stoppedBy !== undefined) {
    const isLocal = stoppedBy.reason === cannotWriteReason;
    const [id, subject] = isLocal ? ['directory', directory] : ['service', service];
    findings.unshift(errorFinding(id, subject, stoppedBy));
  }
  const command = {command: 'connector enroll', service, startedAt};
  return createReport(command, findings, summaryOf(results));
}

function findingOf({machine, result, id, error}: ActivationResult): Finding {
  const {line, name, file} = machine;
  const [status, words] = meanings[result];
  return {
    id: result,
    subject: name,
    status,
    message: error?.message ?? `${name} is ${words}`,
    details: {line, file, id: id ?? null, ...(error !== undefined && {error: error.kind})},
  };
}

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
