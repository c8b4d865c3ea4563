import {figure} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import type {Report, ReportRun} from '../../report/report.js';
import {
  activationLine,
  activationsCsv,
  activationsTable,
  type EnrollOutcome,
  enrollReport,
  type MachineResult,
} from './results.js';
import {type Enrollment, enrollMachines} from './run.js';

/** A format of the results on stdout. */
interface ResultFormat {
  readonly format: 'table' | 'ndjson' | 'csv' | 'json';
  /** Width of the terminal in columns; undefined without a terminal. */
  readonly width: number | undefined;
}

/** A finished run, and the messages about it. */
interface EnrollRun extends ReportRun {
  /** Whether all machines are activated, or would be. */
  readonly isComplete: boolean;
  /** Lines for people. */
  readonly notes: readonly string[];
}

/**
 * Runs `connector enroll`, and shows the results. Complete when there are machines, and all of them are activated; for
 * a preview, when none of them would fail. When the reader of the output has gone or its disk is full, the machines in
 * progress are finished, because they hold tokens, and no more are started.
 */
export async function enroll(
  request: Omit<Enrollment, 'onResult' | 'signal' | 'stop'>,
  {format, width}: ResultFormat,
  signal: AbortSignal,
): Promise<EnrollRun> {
  const {machines, directory, baseUrl: service, isPreview, io} = request;
  const startedAt = new Date();
  const done: MachineResult[] = [];
  let printed: Promise<void> = Promise.resolve();
  const print = (text: string) => {
    printed = printed.then(() => io.result(text));
    return printed;
  };
  const onResult = (result: MachineResult) => {
    done.push(result);
    if (format === 'ndjson') void print(activationLine(result));
  };
  const endLine = io.progress(() => progressText(done, machines.length));
  const stop = AbortSignal.any([signal, io.lost]);
  const outcome = await enrollMachines({...request, onResult, signal, stop}).finally(endLine);
  const report = enrollReport(outcome, {service, directory, startedAt});
  await (format === 'ndjson' ? printed : print(await textOf(format, outcome, report, width)));
  const isInterrupted = !isPreview && signal.aborted && report.counts.skip + report.counts.fail > 0;
  const error = outcome.stoppedBy ?? (isInterrupted ? interrupted() : undefined);
  const isComplete = report.verdict === 'pass' && report.counts.skip === 0;
  return {report, error, isComplete, notes: notesOn(report, isPreview, isComplete, error)};
}

async function textOf(
  format: 'csv' | 'json' | 'table',
  {results}: EnrollOutcome,
  report: Report,
  width: number | undefined,
): Promise<string> {
  if (format === 'table') return activationsTable(results, width);
  if (format === 'csv') return activationsCsv(results);
  return (await import('../../report/formats/json.js')).jsonReport(report);
}

function notesOn(
  {summary, counts}: Report,
  isPreview: boolean,
  isComplete: boolean,
  error: AppError | undefined,
): readonly string[] {
  const planned = isComplete ? ' Without --dry-run the planned machines are activated.' : '';
  return [
    `${summary}.`,
    ...(isPreview ? [`Nothing was changed.${planned}`] : []),
    ...(counts.fail > 0 && error === undefined
      ? ['Fix the reported errors, then run the same command again.']
      : []),
  ];
}

function progressText(done: readonly MachineResult[], total: number): string {
  const bad = done.filter(({error}) => error !== undefined).length;
  return `${figure(done.length)}/${figure(total)} machines${bad === 0 ? '' : `, ${figure(bad)} failed or uncertain`}`;
}

function interrupted(): AppError {
  return new AppError('cancelled', 'Interrupted before every machine was activated.', {
    hint: 'To continue, run the same command again.',
  });
}
