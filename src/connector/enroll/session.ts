import type {Client} from '../../client/types.js';
import {AppError} from '../../errors.js';
import type {ReportRun} from '../../report/create.js';
import {reasonOf} from '../../system/system-error.js';
import {createStatusLine} from '../../terminal/status-line.js';
import {flushed, writeError} from '../../terminal/streams.js';
import type {ActivationResult} from './activations.js';
import type {MachineList} from './machine-list.js';
import {createResultOutput, lossError, type ResultFormat} from './output.js';
import {fleetProgress} from './progress.js';
import {fleetReport} from './report.js';
import {enrollFleet, type FleetOutcome, type FleetPlan, previewFleet} from './run.js';

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

/**
 * Runs `connector enroll`, and shows the results. Complete when there are machines, and all of them are activated; for
 * a preview, when none of them would fail.
 */
export async function runFleet(
  {list, directory, baseUrl, connect}: Fleet,
  {isPreview, parallel}: FleetOptions,
  format: ResultFormat,
  signal: AbortSignal,
): Promise<FleetRun> {
  const startedAt = new Date();
  const output = createResultOutput(list, format);
  const {lost, onResult} = output;
  const plan = {machines: list.machines, directory, baseUrl, onResult, signal};
  const stop = AbortSignal.any([signal, lost]);
  const outcome = isPreview
    ? await previewFleet(plan, connect)
    : await enrollShown({...plan, client: await connect(), parallel, stop}, lost);
  const report = fleetReport(outcome, {service: baseUrl, directory, startedAt});
  await output.finish(outcome.results, report);
  await flushed();
  const {counts, summary, verdict} = report;
  const isInterrupted = !isPreview && signal.aborted && counts.skip + counts.fail > 0;
  const error = outcome.stoppedBy ?? lossError(lost) ?? (isInterrupted ? interrupted() : undefined);
  const isComplete = verdict === 'pass' && counts.skip === 0;
  const planned = isComplete ? ' Without --dry-run the planned machines are activated.' : '';
  const notes = [
    `${summary}.`,
    ...(isPreview ? [`Nothing was changed.${planned}`] : []),
    ...(counts.fail > 0 && error === undefined
      ? ['Correct what the errors name, then run the same command again.']
      : []),
  ];
  return {report, error, isComplete, notes};
}

/** With a status line where the terminal can show one. */
async function enrollShown(plan: FleetPlan, lost: AbortSignal): Promise<FleetOutcome> {
  const progress = fleetProgress(plan.machines.length, () => performance.now());
  // The text has a time of its own.
  const end = createStatusLine()?.begin(progress.text, false);
  const reportLoss = () =>
    writeError(
      `Cannot write the output: ${reasonOf(lost.reason)}. Finishing the machines in progress.\n  To continue, run the same command again.`,
    );
  lost.addEventListener('abort', reportLoss);
  try {
    const onResult = (result: ActivationResult) => {
      progress.onResult(result);
      plan.onResult(result);
    };
    return await enrollFleet({...plan, onResult});
  } finally {
    lost.removeEventListener('abort', reportLoss);
    end?.();
  }
}

function interrupted(): AppError {
  return new AppError('cancelled', 'Interrupted before every machine was activated.', {
    hint: 'To continue, run the same command again.',
  });
}
