import type {Client} from '../../../client/types.js';
import {AppError} from '../../../errors.js';
import type {Report} from '../../../render/report/report.js';
import {reasonOf} from '../../errors/system-error.js';
import type {ReportRun} from '../../report/create.js';
import {createStatusLine} from '../../terminal/status-line.js';
import {flushed, writeError} from '../../terminal/streams.js';
import type {MachineList} from './machine-list.js';
import {type ResultFormat, ResultOutput} from './output.js';
import {FleetProgress} from './progress.js';
import {fleetReport} from './report.js';
import {enrollFleet, type FleetOutcome, previewFleet} from './run.js';

/** A list of machines, and what is made of it. */
interface Fleet {
  readonly list: MachineList;
  /** For the credentials files. */
  readonly directory: string;
  /** Base URL. */
  readonly baseUrl: string;
  readonly connect: () => Promise<Client>;
}

/** How the machines of a list are activated. */
interface FleetOptions {
  readonly isPreview: boolean;
  /** Machines at a time. */
  readonly parallel: number;
}

/** A run that is over, and what to say about it. */
interface FleetRun extends ReportRun {
  /** Whether all machines are activated, or would be. */
  readonly isComplete: boolean;
  /** Lines for people. */
  readonly notes: readonly string[];
}

/** What to do after a run that left something undone. */
const nextRun = 'Correct what the errors name, then run the same command again.';

/**
 * Runs `connector enroll`, and shows the results. Complete when there are machines, and all of them are activated; for
 * a preview, when none of them would fail.
 */
export async function runFleet(
  fleet: Fleet,
  {isPreview, parallel}: FleetOptions,
  format: ResultFormat,
  signal: AbortSignal,
): Promise<FleetRun> {
  const {list, directory, baseUrl: service} = fleet;
  const startedAt = new Date();
  const output = new ResultOutput(list, format);
  const outcome = isPreview
    ? await preview(fleet, output, signal)
    : await enroll(fleet, parallel, output, signal);
  const report = fleetReport(outcome, {service, directory, startedAt});
  await output.finish(outcome.results, report);
  await flushed();
  const {counts} = report;
  const isInterrupted = !isPreview && signal.aborted && counts.skip + counts.fail > 0;
  const error = outcome.stoppedBy ?? output.error ?? (isInterrupted ? interrupted() : undefined);
  const isComplete = report.verdict === 'pass' && counts.skip === 0;
  return {report, error, isComplete, notes: notesOf(report, {isPreview, isComplete, error})};
}

function notesOf(
  {summary, counts}: Report,
  {
    isPreview,
    isComplete,
    error,
  }: {isPreview: boolean; isComplete: boolean; error: AppError | undefined},
): readonly string[] {
  const planned = isComplete ? ' Without --dry-run the planned machines are activated.' : '';
  return [
    `${summary}.`,
    ...(isPreview ? [`Nothing was changed.${planned}`] : []),
    ...(counts.fail > 0 && error === undefined ? [nextRun] : []),
  ];
}

async function preview(
  {list, connect, ...fleet}: Fleet,
  output: ResultOutput,
  signal: AbortSignal,
): Promise<FleetOutcome> {
  const outcome = await previewFleet({...fleet, machines: list.machines, signal}, connect);
  outcome.results.forEach(output.onResult);
  return outcome;
}

/** With a status line where the terminal can show one. */
async function enroll(
  {list, connect, ...fleet}: Fleet,
  parallel: number,
  {lost, onResult}: ResultOutput,
  signal: AbortSignal,
): Promise<FleetOutcome> {
  const {machines} = list;
  const client = await connect();
  const progress = new FleetProgress(machines.length, () => performance.now());
  const end = progress.show(createStatusLine());
  const reportLoss = () =>
    writeError(
      `Cannot write the output: ${reasonOf(lost.reason)}. Finishing the machines in progress.\n  To continue, run the same command again.`,
    );
  lost.addEventListener('abort', reportLoss);
  try {
    return await enrollFleet({
      ...fleet,
      client,
      machines,
      parallel,
      signal,
      stop: AbortSignal.any([signal, lost]),
      onResult(result) {
        progress.onResult(result);
        onResult(result);
      },
    });
  } finally {
    lost.removeEventListener('abort', reportLoss);
    end();
  }
}

function interrupted(): AppError {
  return new AppError('cancelled', 'Interrupted before every machine was activated.', {
    hint: 'To continue, run the same command again.',
  });
}
