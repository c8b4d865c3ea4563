import type {Finding, FindingStatus} from '../../domain/check/findings.js';
import {counted, figure} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import {createReport, errorFinding, type ReportRun} from '../../report/report.js';
import {type Column, tableRows} from '../../terminal/table/table.js';
import {cannotWriteReason} from '../credentials/files.js';
import type {Machine} from './machine-list.js';

/** The results of a row, each with its status in a report and its words for people; `planned` is that of a dry run. */
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
  /** The error that stopped the run: further machines would probably have failed in the same way. */
  readonly stoppedBy: AppError | undefined;
}

/** A finished run, and the messages about it. */
interface EnrollRun extends ReportRun {
  /** Whether there are machines, and all of them are activated; for a preview, whether none of them would fail. */
  readonly isComplete: boolean;
  /** Lines for people. */
  readonly notes: readonly string[];
}

const columns: readonly Column<MachineResult>[] = [
  {title: 'NAME', value: ({machine}) => machine.name},
  {title: 'RESULT', value: ({result}) => result},
  {title: 'ID', value: ({id}) => id},
  {title: 'FILE', value: ({machine}) => machine.file},
  {title: 'ERROR', value: ({error}) => error?.message, optional: true},
];

/** @param width columns of the terminal; undefined without one */
export async function activationsTable({results}: EnrollOutcome, width?: number): Promise<string> {
  return [...(await tableRows(results, columns, width))].join('');
}

/**
 * A run over a list of machines: one finding per row, one for the reason of an early end, and the messages about it.
 *
 * @param about `isInterrupted`: a signal stopped it
 */
export function concludedRun(
  {results, stoppedBy}: EnrollOutcome,
  about: {
    readonly service: string;
    readonly directory: string;
    readonly startedAt: Date;
    readonly isPreview: boolean;
    readonly isInterrupted: boolean;
  },
): EnrollRun {
  const {service, directory, startedAt, isPreview, isInterrupted} = about;
  const findings = results.map(findingOf);
  if (stoppedBy !== undefined) {
    const isLocal = stoppedBy.reason === cannotWriteReason;
    const [id, subject] = isLocal ? ['directory', directory] : ['service', service];
    findings.unshift(errorFinding(id, subject, stoppedBy));
  }
  const facts = {command: 'connector enroll', service, startedAt};
  const report = createReport(facts, findings, summary(results));
  const {counts, verdict} = report;
  const isOpen = isInterrupted && !isPreview && counts.skip + counts.fail > 0;
  const hint = 'To continue, run the same command again.';
  const interrupted = 'Interrupted before every machine was activated.';
  const error = stoppedBy ?? (isOpen ? new AppError('cancelled', interrupted, {hint}) : undefined);
  const isComplete = verdict === 'pass' && counts.skip === 0;
  const planned = isComplete ? ' Without --dry-run the planned machines are activated.' : '';
  const notes = [
    `${report.summary}.`,
    ...(isPreview ? [`Nothing was changed.${planned}`] : []),
    ...(counts.fail > 0 && error === undefined
      ? ['Fix the reported errors, then run the same command again.']
      : []),
  ];
  return {report, error, isComplete, notes};
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

/** The summary of a run: `500 machines: 498 activated, 2 failed`. */
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
