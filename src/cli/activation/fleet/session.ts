import {resolve} from 'node:path';
import {AppError} from '../../../errors.js';
import {
  type ActivationResult,
  activationLine,
  activationsTable,
} from '../../../render/formats/activations.js';
import type {Report} from '../../../render/report/report.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {createStatusLine} from '../../terminal/status-line.js';
import {outliveOutput, writeError, writeMessage} from '../../terminal/streams.js';
import {type MachineList, readMachineList as readList} from './machine-list.js';
import {FleetProgress} from './progress.js';
import {activateFleet as activateAll, type FleetOutcome, type FleetPlan} from './run.js';

export {fleetReport} from './report.js';
export {previewFleet} from './run.js';

/** What `connector activate --from` shows on stdout. */
export type ListFormat = 'table' | 'ndjson' | 'csv' | 'json';

/** Reads a list of machines; see `machine-list.ts`. */
export function readMachineList(path: string): Promise<MachineList> {
  return readList(path, async () => (await import('./age.js')).checkAgeRecipient);
}

/** Reports are written last, and replace what is at their paths. @throws AppError `usage` */
export function checkReportPaths(
  paths: readonly string[],
  {machines}: MachineList,
  directory: string,
): void {
  for (const path of paths) {
    const absolute = resolve(path);
    const machine = machines.find(({file}) => resolve(directory, file) === absolute);
    if (machine === undefined) continue;
    throw new AppError(
      'usage',
      `The report ${path} would replace the credentials of ${JSON.stringify(machine.name)}.`,
      {hint: 'Choose another path for the report.'},
    );
  }
}

/** What a run writes to stdout, even after its reader has gone. */
export interface ResultOutput {
  /** Writes, or does nothing once the output is lost. */
  readonly write: (text: string) => Promise<void>;
  /** Aborts with the system's error as reason. */
  readonly lost: AbortSignal;
}

/**
 * The output of a run that ends in order, and with the exit code of its verdict, when its reader has gone or
 * its disk is full: the machines in progress hold tokens.
 *
 * @param write to stdout
 */
export function resultOutput(write: ResultOutput['write']): ResultOutput {
  const lost = new AbortController();
  outliveOutput((error) => lost.abort(error));
  return {
    lost: lost.signal,
    async write(text) {
      if (lost.signal.aborted) return;
      await write(text).catch((error: unknown) => {
        if (!lost.signal.aborted) throw error;
      });
    },
  };
}

/** The error for an output that a full disk lost; undefined after a reader such as `head` has gone. */
export function outputError({lost}: ResultOutput): AppError | undefined {
  if (!lost.aborted || hasCode(lost.reason, 'EPIPE')) return undefined;
  return new AppError('usage', `Cannot write the output: ${reasonOf(lost.reason)}.`, {
    hint: 'Free some space there, or redirect the output elsewhere; then run the same command again.',
    cause: lost.reason,
  });
}

/** Prints the results of a run. */
export interface ListPrinter {
  /** Prints a result as soon as it is known, where the format has a line for each. */
  readonly onResult: (result: ActivationResult) => void;
  /** Prints the rest. */
  readonly finish: (outcome: FleetOutcome, report: Report) => Promise<void>;
}

/** The printer for a format. */
export function printerFor(
  format: ListFormat,
  list: MachineList,
  {
    write,
    width,
  }: {readonly write: (text: string) => Promise<void>; readonly width: number | undefined},
): ListPrinter {
  let printed: Promise<void> = Promise.resolve();
  return {
    onResult(result) {
      if (format === 'ndjson') printed = printed.then(() => write(activationLine(result, list)));
    },
    async finish({results}, report) {
      await printed;
      switch (format) {
        case 'table':
          for await (const chunk of activationsTable(results, width)) await write(chunk);
          break;
        case 'csv': {
          const {activationsCsv} = await import('../../../render/formats/activations-csv.js');
          await write(activationsCsv(results, list));
          break;
        }
        case 'json': {
          const {renderJsonReport} = await import('../../../render/report/json.js');
          for (const chunk of renderJsonReport(report)) await write(chunk);
          break;
        }
        case 'ndjson':
      }
    },
  };
}

const finishing = 'Finishing the machines in progress; a second signal stops at once.';

/**
 * Activates all machines, with a status line where the terminal can show one.
 *
 * @param signal begins no more machines, as the loss of the output does
 */
export async function activateFleet(
  plan: Omit<FleetPlan, 'encrypt'>,
  signal: AbortSignal,
  {lost}: ResultOutput,
  onResult: ListPrinter['onResult'],
): Promise<FleetOutcome> {
  const progress = new FleetProgress(plan.machines.length, () => performance.now());
  const end = progress.show(createStatusLine());
  const encrypt: FleetPlan['encrypt'] = async (text, recipient) =>
    (await import('./age.js')).encryptToAge(text, recipient);
  signal.addEventListener('abort', () => writeMessage(finishing), {once: true});
  const reportLoss = () =>
    writeError(
      `Cannot write the output: ${reasonOf(lost.reason)}. Finishing the machines in progress.\n  To continue, run the same command again.`,
    );
  lost.addEventListener('abort', reportLoss);
  try {
    const outcome = await activateAll({...plan, encrypt}, AbortSignal.any([signal, lost]), {
      onStart: progress.onStart,
      onResult(result) {
        progress.onResult(result);
        onResult(result);
      },
    });
    return {...outcome, stoppedBy: outcome.stoppedBy && withoutTokenHint(outcome.stoppedBy)};
  } finally {
    lost.removeEventListener('abort', reportLoss);
    end();
  }
}

/** The usual hint about a refused token is for the person who typed it. */
function withoutTokenHint(error: AppError): AppError {
  if (!error.reason?.startsWith('activation-token-')) return error;
  return error.with({
    hint: 'The token was created just before. Check that the base URL leads to one service, then run the same command again.',
  });
}

/** What to do after a run that left something undone. */
export const nextRun = 'Correct what the errors name, then run the same command again.';

/** The error of a run that a signal ended. */
export function interrupted(): AppError {
  return new AppError('cancelled', 'Interrupted; the machines in progress were finished.', {
    hint: 'To continue, run the same command again.',
  });
}
