import {resolve} from 'node:path';
import {AppError} from '../../../errors.js';
import type {Report} from '../../../render/report/report.js';
import {reasonOf} from '../../errors/system-error.js';
import {checkReports, type ReportFile, readReportFile, writeReports} from '../../report/files.js';
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
  readonly reports: readonly ReportFile[];
}

/** How a run is shown. */
interface Presentation extends ResultFormat {
  /** Base URL. */
  readonly service: string;
  /** Writes a line for people. */
  readonly note: (line: string) => void;
}

/**
 * Reads a list of machines, and checks where its reports go.
 *
 * @param reports each `FORMAT=PATH`
 * @throws AppError `usage`
 */
export async function readFleet(
  {from, directory}: Pick<Fleet, 'directory' | 'from'>,
  {reports, isPreview}: {readonly reports: readonly string[]; readonly isPreview: boolean},
): Promise<Fleet> {
  const files = reports.map(readReportFile);
  const list = await readMachineList(
    from,
    async () => (await import('./age.js')).checkAgeRecipient,
  );
  checkReportPaths(files, list, {from, directory});
  await checkReports(files, isPreview ? undefined : directory);
  return {from, directory, list, reports: files};
}

/** Reports are written last, and replace what is at their paths. @throws AppError `usage` */
function checkReportPaths(
  reports: readonly ReportFile[],
  {machines}: MachineList,
  {from, directory}: {readonly from: string; readonly directory: string},
): void {
  for (const {path} of reports) {
    const absolute = resolve(path);
    const machine = machines.find(({file}) => resolve(directory, file) === absolute);
    const isList = from !== '-' && resolve(from) === absolute;
    if (machine === undefined && !isList) continue;
    const what = machine && `the credentials of ${JSON.stringify(machine.name)}`;
    throw new AppError(
      'usage',
      `The report ${path} would replace ${what ?? 'the list of machines'}.`,
      {hint: 'Choose another path for the report.'},
    );
  }
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
  readonly #note: (line: string) => void;
  readonly #output: ResultOutput;
  readonly #startedAt = new Date();

  constructor(fleet: Fleet, {service, note, ...format}: Presentation) {
    this.#fleet = fleet;
    this.#service = service;
    this.#note = note;
    this.#output = new ResultOutput(fleet.list, format);
  }

  /**
   * Shows what would become of each machine.
   *
   * @returns whether there are machines, and none of them would fail
   */
  async preview(): Promise<boolean> {
    const {directory, list} = this.#fleet;
    const outcome = await previewFleet({
      baseUrl: this.#service,
      directory,
      machines: list.machines,
    });
    outcome.results.forEach(this.#output.onResult);
    const {counts} = await this.#publish(outcome);
    const next = 'Without --dry-run the skipped machines are activated.';
    this.#note(counts.skip > 0 ? `Nothing was sent. ${next}` : 'Nothing was sent.');
    if (counts.fail > 0) this.#note(nextRun);
    const {error} = this.#output;
    if (error !== undefined) throw error;
    return outcome.results.length > 0 && counts.fail === 0;
  }

  /**
   * Activates all machines, and shows the results.
   *
   * @param signal begins no more machines, as the loss of the output does
   * @returns whether all machines are activated
   */
  async activate(plan: SessionPlan, signal: AbortSignal): Promise<boolean> {
    const outcome = await this.#activateAll(plan, signal);
    const {verdict, counts} = await this.#publish(outcome);
    const stopped = outcome.stoppedBy ?? this.#output.error;
    if (stopped !== undefined) throw stopped;
    if (signal.aborted && counts.skip > 0) {
      throw new AppError('cancelled', 'Interrupted; the machines in progress were finished.', {
        hint: 'To continue, run the same command again.',
      });
    }
    if (counts.fail > 0) this.#note(nextRun);
    return verdict === 'pass' && counts.skip === 0;
  }

  /** With a status line where the terminal can show one. */
  async #activateAll(plan: SessionPlan, signal: AbortSignal): Promise<FleetOutcome> {
    const {from, directory, list} = this.#fleet;
    const client = await plan.connect();
    const {lost, onResult} = this.#output;
    const progress = new FleetProgress(list.machines.length, () => performance.now());
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
      const outcome = await activateFleet(
        {
          ...plan,
          client,
          baseUrl: this.#service,
          list: from,
          machines: list.machines,
          directory,
          encrypt,
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

  async #publish(outcome: FleetOutcome): Promise<Report> {
    const {directory, reports} = this.#fleet;
    const about = {service: this.#service, directory, startedAt: this.#startedAt};
    const report = fleetReport(outcome, about);
    await this.#output.finish(outcome.results, report);
    await flushed();
    await writeReports(reports, report);
    this.#note(`${report.summary}.`);
    return report;
  }
}

/** The usual hint about a refused token is for the person who typed it. */
function withoutTokenHint(error: AppError): AppError {
  if (!error.reason?.startsWith('activation-token-')) return error;
  return error.with({
    hint: 'The token was created just before. Check that the base URL leads to one service, then run the same command again.',
  });
}
