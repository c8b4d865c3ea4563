import {AppError} from '../../errors.js';
import type {Report} from '../../report/report.js';
import {hasCode, reasonOf} from '../../system/system-error.js';
import {outliveOutput} from '../../terminal/streams.js';
import {type ActivationResult, activationLine, activationsTable} from './activations.js';
import type {MachineList} from './machine-list.js';

/** How the results of a list are written to stdout. */
export interface ResultFormat {
  readonly format: 'table' | 'ndjson' | 'csv' | 'json';
  /** Cells of a table; undefined without a terminal. */
  readonly width: number | undefined;
  /** Writes to stdout. */
  readonly write: (text: string) => Promise<void>;
}

/** The results of a run on stdout. */
interface ResultOutput {
  /** Aborts with the system's error as reason, once nothing can be written. */
  readonly lost: AbortSignal;
  /** Writes a result as soon as it is known, if the format has a line for each. */
  readonly onResult: (result: ActivationResult) => void;
  /** Writes the rest. */
  readonly finish: (results: readonly ActivationResult[], report: Report) => Promise<void>;
}

/**
 * Writes the results of a run. When their reader has gone or its disk is full, the run still ends in order, and
 * with the exit code of its verdict: the machines in progress hold tokens.
 */
export function createResultOutput(
  list: MachineList,
  {format, width, write}: ResultFormat,
): ResultOutput {
  const lost = new AbortController();
  outliveOutput((error) => lost.abort(error));
  let printed: Promise<void> = Promise.resolve();
  const print = (text: string) => {
    printed = printed.then(async () => {
      if (lost.signal.aborted) return;
      await write(text).catch((error: unknown) => {
        if (!lost.signal.aborted) throw error;
      });
    });
    return printed;
  };
  return {
    lost: lost.signal,
    onResult(result) {
      if (format === 'ndjson') void print(activationLine(result, list));
    },
    async finish(results, report) {
      if (format === 'ndjson') return printed;
      await print(await textOf(results, report));
    },
  };

  async function textOf(results: readonly ActivationResult[], report: Report): Promise<string> {
    if (format === 'table') return activationsTable(results, width);
    if (format === 'json') {
      return (await import('../../report/formats/json.js')).jsonReport(report);
    }
    return (await import('./activations-csv.js')).activationsCsv(results, list);
  }
}

/** The error for an output that a full disk lost; undefined after a reader such as `head` has gone. */
export function lossError({aborted, reason}: AbortSignal): AppError | undefined {
  if (!aborted || hasCode(reason, 'EPIPE')) return undefined;
  return new AppError('usage', `Cannot write the output: ${reasonOf(reason)}.`, {
    hint: 'Free some space there, or redirect the output elsewhere; then run the same command again.',
    cause: reason,
  });
}
