import {AppError} from '../../../errors.js';
import type {Report} from '../../../render/report/report.js';
import {reasonOf} from '../../errors/system-error.js';
import type {ReportRun} from '../../report/create.js';
import {createStatusLine} from '../../terminal/status-line.js';
import {flushed, writeError, writeMessage} from '../../terminal/streams.js';
import {type MachineList, readMachineList} from './machine-list.js';
import {type ResultFormat, ResultOutput} from './output.js';
import {FleetProgress} from './progress.js';
import {fleetReport} from './report.js';
import {activateFleet, type FleetOutcome, type FleetPlan, previewFleet} from './run.js';

/** A list of machines, and what is made of it. */
interface Fleet {
  /** Path of the list; `-` is stdin. */
  readonly from: string;
  /** For the credentials files. */
  readonly directory: string;
  readonly list: MachineList;
}

/** How a run is shown. */
interface Presentation extends ResultFormat {
  /** Base URL. */
  readonly service: string;
}

/** A run that is over, and what to say about it. */
interface FleetRun extends ReportRun {
  /** Whether all rows are done. */
  readonly isComplete: boolean;
  /** Lines for people. */
  readonly notes: readonly string[];
}

/** Reads a list of machines. @throws AppError `usage` */
export async function readFleet({
  from,
  directory,
}: Pick<Fleet, 'directory' | 'from'>): Promise<Fleet> {
  return {from, directory, list: await readMachineList(from)};
}

const finishing = 'Finishing the machines in progress; a second signal stops at once.';

/** What to do after a run that left something undone. */
const nextRun = 'Correct what the errors name, then run the same command again.';

/** How the machines of a list are activated. */
interface SessionPlan extends Pick<FleetPlan, 'maxFailures' | 'parallel' | 'retries'> {
  /** Connects to the service. */
  readonly connect: () => Promise<FleetPlan['client']>;
}

/** One run of `connector enroll`. */
export class FleetSession {
  readonly #fleet: Fleet;
  readonly #service: string;
  readonly #output: ResultOutput;
  readonly #startedAt = new Date();

  constructor(fleet: Fleet, {service, ...format}: Presentation) {
    this.#fleet = fleet;
    this.#service = service;
    this.#output = new ResultOutput(fleet.list, format);
  }

  /** Shows what would become of each machine. Complete when there are machines, and none of them would fail. */
  async preview({connect}: Pick<SessionPlan, 'connect'>, signal: AbortSignal): Promise<FleetRun> {
    const {directory, list} = this.#fleet;
    const outcome = await previewFleet(
      {baseUrl: this.#service, directory, machines: list.machines, connect},
      signal,
    );
    outcome.results.forEach(this.#output.onResult);
    const report = await this.#show(outcome);
    const isComplete = report.verdict === 'pass';
    const {fail} = report.counts;
    const next = isComplete ? ' Without --dry-run the planned machines are activated.' : '';
    return {
      report,
      error: outcome.stoppedBy ?? this.#output.error,
      isComplete,
      notes: [`${report.summary}.`, `Nothing was changed.${next}`, ...(fail > 0 ? [nextRun] : [])],
    };
  }

  /**
   * Activates all machines, and shows the results.
   *
   * @param signal begins no more machines, as the loss of the output does
   */
  async activate(plan: SessionPlan, signal: AbortSignal): Promise<FleetRun> {
    const outcome = await this.#activateAll(plan, signal);
    const report = await this.#show(outcome);
    const {verdict, counts, summary} = report;
    const isInterrupted = signal.aborted && counts.skip + counts.fail > 0;
    const error =
      outcome.stoppedBy ?? this.#output.error ?? (isInterrupted ? interrupted() : undefined);
    const hasNext = counts.fail > 0 && error === undefined;
    return {
      report,
      error,
      isComplete: verdict === 'pass' && counts.skip === 0,
      notes: [`${summary}.`, ...(hasNext ? [nextRun] : [])],
    };
  }

  /** With a status line where the terminal can show one. */
  async #activateAll(plan: SessionPlan, signal: AbortSignal): Promise<FleetOutcome> {
    const {from, directory, list} = this.#fleet;
    const client = await plan.connect();
    const {lost, onResult} = this.#output;
    const progress = new FleetProgress(list.machines.length, () => performance.now());
    const end = progress.show(createStatusLine());
    signal.addEventListener('abort', () => writeMessage(finishing), {once: true});
    const reportLoss = () =>
      writeError(
        `Cannot write the output: ${reasonOf(lost.reason)}. Finishing the machines in progress.\n  To continue, run the same command again.`,
      );
    lost.addEventListener('abort', reportLoss);
    try {
      const outcome = await activateFleet(
        {
          ...plan,
          client,
          baseUrl: this.#service,
          list: from,
          machines: list.machines,
          directory,
        },
        AbortSignal.any([signal, lost]),
        {
          onStart: progress.onStart,
          onResult(result) {
            progress.onResult(result);
            onResult(result);
          },
        },
      );
      return {...outcome, stoppedBy: outcome.stoppedBy && withoutTokenHint(outcome.stoppedBy)};
    } finally {
      lost.removeEventListener('abort', reportLoss);
      end();
    }
  }

  async #show(outcome: FleetOutcome): Promise<Report> {
    const {directory} = this.#fleet;
    const about = {service: this.#service, directory, startedAt: this.#startedAt};
    const report = fleetReport(outcome, about);
    await this.#output.finish(outcome.results, report);
    await flushed();
    return report;
  }
}

function interrupted(): AppError {
  return new AppError('cancelled', 'Interrupted; the machines in progress were finished.', {
    hint: 'To continue, run the same command again.',
  });
}

/** The usual hint about a refused token is for the person who typed it. */
function withoutTokenHint(error: AppError): AppError {
  if (!error.reason?.startsWith('activation-token-')) return error;
  return error.with({
    hint: 'The token was created just before. Check that the base URL leads to one service, then run the same command again.',
  });
}
