import type {Finding, FindingStatus} from '../../domain/check/findings.js';
import {counted, figure} from '../../domain/words.js';
import type {AppError} from '../../errors.js';
import {createReport, errorFinding, type Report} from '../../report/report.js';
import {jsonLine} from '../../terminal/formats/json.js';
import {type Column, tableRows} from '../../terminal/table/table.js';
import {cannotWriteReason} from '../credentials/files.js';
import type {Machine} from './machine-list.js';

/** The results of a row: their status in a report, and their words for people. A dry run has `planned`. */
const meanings = {
  activated: ['pass', 'activated'],
  already: ['pass', 'activated already'],
  planned: ['pass', 'to be activated'],
  failed: ['fail', 'not activated'],
  uncertain: ['fail', 'perhaps activated'],
  skipped: ['skip', 'left alone'],
} as const satisfies Readonly<Record<string, readonly [FindingStatus, string]>>;

/** A row of a list of machines, and its result. It holds no secret. */
export interface MachineResult {
  readonly machine: Machine;
  readonly result: keyof typeof meanings;
  readonly id?: string | undefined;
  /** Whether the credentials file has a known API key; undefined without such a file. */
  readonly hasKey?: boolean | undefined;
  readonly error?: AppError | undefined;
}

/** The results of all machines, in their order. */
export interface EnrollOutcome {
  readonly results: readonly MachineResult[];
  /** The error that stopped the run: each further machine would have failed in the same way. */
  readonly stoppedBy: AppError | undefined;
}

export function activationLine({machine, result, id, error}: MachineResult): string {
  const failure = error === undefined ? null : {kind: error.kind, message: error.message};
  return `${jsonLine({...machine, result, id: id ?? null, error: failure})}\n`;
}

const columns: readonly Column<MachineResult>[] = [
  {title: 'NAME', value: ({machine}) => machine.name},
  {title: 'RESULT', value: ({result}) => result},
  {title: 'ID', value: ({id}) => id},
  {title: 'FILE', value: ({machine}) => machine.file},
  {title: 'ERROR', value: ({error}) => error?.message, optional: true},
];

export async function activationsTable(
  results: readonly MachineResult[],
  width: number | undefined,
): Promise<string> {
  return [...(await tableRows(results, columns, width))].join('');
}

/** The results as CSV that is itself a list of machines. */
export async function activationsCsv(results: readonly MachineResult[]): Promise<string> {
  const {csvText} = await import('../fields/csv.js');
  const rows = results.map(({machine: {name, file}, result, id = '', error}) => {
    return [name, file, result, id, error?.kind ?? ''];
  });
  return csvText([['name', 'file', 'result', 'id', 'error'], ...rows]);
}

/** A run over a list of machines as a report: one finding per row, and one for the reason of an early end. */
export function enrollReport(
  {results, stoppedBy}: EnrollOutcome,
  about: {readonly service: string; readonly directory: string; readonly startedAt: Date},
): Report {
  const {service, directory, startedAt} = about;
  const findings = results.map(findingOf);
  if (stoppedBy !== undefined) {
    const isLocal = stoppedBy.reason === cannotWriteReason;
    const [id, subject] = isLocal ? ['directory', directory] : ['service', service];
    findings.unshift(errorFinding(id, subject, stoppedBy));
  }
  return createReport(
    {command: 'connector enroll', service, startedAt},
    findings,
    summary(results),
  );
}

function findingOf({machine, result, id, error}: MachineResult): Finding {
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
function summary(results: readonly MachineResult[]): string {
  if (results.length === 0) return 'The list has no machines; nothing was activated';
  const parts = Object.keys(meanings)
    .map((wanted) => [results.filter(({result}) => result === wanted).length, wanted] as const)
    .filter(([count]) => count > 0)
    .map(([count, wanted]) => `${figure(count)} ${wanted}`);
  const machines = counted(results.length, 'machine');
  const keyless = results.filter(({hasKey}) => hasKey === false).length;
  const files = `${counted(keyless, 'file')} ${keyless === 1 ? 'holds' : 'hold'}`;
  return `${machines}: ${parts.join(', ')}${keyless === 0 ? '' : `; ${files} no known API key`}`;
}
