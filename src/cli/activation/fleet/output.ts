import {AppError} from '../../../errors.js';
import {
  type ActivationResult,
  activationLine,
  activationsTable,
} from '../../../render/formats/activations.js';
import type {Report} from '../../../render/report/report.js';
import {hasCode, reasonOf} from '../../errors/system-error.js';
import {outliveOutput} from '../../terminal/streams.js';
import type {MachineList} from './machine-list.js';

/** How the results of a list are written to stdout. */
export interface ResultFormat {
  readonly format: 'table' | 'ndjson' | 'csv' | 'json';
  /** Cells of a table; undefined without a terminal. */
  readonly width: number | undefined;
  /** Writes to stdout. */
  readonly write: (text: string) => Promise<void>;
}

/**
 * The results of a run on stdout. When their reader has gone or its disk is full, the run still ends in
 * order, and with the exit code of its verdict: the machines in progress hold tokens.
 */
export class ResultOutput {
  readonly #list: MachineList;
  readonly #format: ResultFormat;
  readonly #lost = new AbortController();
  #printed: Promise<void> = Promise.resolve();

  constructor(list: MachineList, format: ResultFormat) {
    this.#list = list;
    this.#format = format;
    outliveOutput((error) => this.#lost.abort(error));
  }

  /** Aborts with the system's error as reason, once nothing can be written. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The error for an output that a full disk lost; undefined after a reader such as `head` has gone. */
  get error(): AppError | undefined {
    const {aborted, reason} = this.lost;
    if (!aborted || hasCode(reason, 'EPIPE')) return undefined;
    return new AppError('usage', `Cannot write the output: ${reasonOf(reason)}.`, {
      hint: 'Free some space there, or redirect the output elsewhere; then run the same command again.',
      cause: reason,
    });
  }

  /** Writes a result as soon as it is known, if the format has a line for each. */
  readonly onResult = (result: ActivationResult): void => {
    if (this.#format.format !== 'ndjson') return;
    const line = activationLine(result, this.#list);
    this.#printed = this.#printed.then(() => this.#write(line));
  };

  /** Writes the rest. */
  async finish(results: readonly ActivationResult[], report: Report): Promise<void> {
    await this.#printed;
    switch (this.#format.format) {
      case 'table':
        await this.#write(await activationsTable(results, this.#format.width));
        break;
      case 'csv': {
        const {activationsCsv} = await import('../../../render/formats/activations-csv.js');
        await this.#write(activationsCsv(results, this.#list));
        break;
      }
      case 'json': {
        const {jsonReport} = await import('../../../render/report/json.js');
        await this.#write(jsonReport(report));
        break;
      }
      case 'ndjson':
    }
  }

  async #write(text: string): Promise<void> {
    if (this.lost.aborted) return;
    await this.#format.write(text).catch((error: unknown) => {
      if (!this.lost.aborted) throw error;
    });
  }
}
