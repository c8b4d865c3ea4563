import {Flags} from '@oclif/core';
import type {Verdict} from '../../domain/check/findings.js';
import {redactSecrets} from '../../domain/secret.js';
import {exitCodes} from '../../errors.js';
import {
  type ReportFile,
  type ReportFormat,
  readReportFile,
  reportFormats,
  reportText,
  writeReports,
} from '../../report/files.js';
import {errorReport, type Report, type ReportRun, scopeOf} from '../../report/report.js';
import {toAppError} from '../errors/report.js';
import {ServiceCommand} from './service-command.js';

const verdictKinds = {
  pass: 'ok',
  warn: 'ok',
  fail: 'unmet',
  empty: 'unmet',
  error: 'internal',
} as const satisfies Record<Verdict, keyof typeof exitCodes>;

/** The exit code of a verdict; a warning counts as a pass. */
export function exitCodeOf({verdict}: Pick<Report, 'verdict'>): number {
  return exitCodes[verdictKinds[verdict]].code;
}

/** The flag for reports in these formats. */
export const reportFlag = (formats: readonly ReportFormat[]) =>
  Flags.custom<ReportFile>({parse: async (text) => readReportFile(text, formats)})({
    description: `also write a report to a file (${formats.join(', ')}); may be repeated`,
    helpValue: 'FORMAT=PATH',
    multiple: true,
  });

/** A command that ends in a report. */
export abstract class ReportCommand extends ServiceCommand<unknown> {
  static override baseFlags = {
    ...ServiceCommand.baseFlags,
    report: reportFlag(reportFormats),
  };

  /** Whether `conclude` has begun: a later error does not replace the files of --report. */
  #isConcluded = false;

  protected get reportFiles(): readonly ReportFile[] {
    return this.commandLine.flags['report'] ?? [];
  }

  /** Also writes the error that ended the command to the files of --report, so that none keeps an earlier result. */
  override async catch(error: Error): Promise<never> {
    const failure = await toAppError(error, this.io);
    if (!this.#isConcluded) {
      const command = this.id?.replaceAll(':', ' ') ?? '';
      const message = redactSecrets(failure.message);
      const service = await this.settings().then(
        ({baseUrl}) => baseUrl.value,
        () => '',
      );
      const scope = scopeOf(this.commandLine.flags);
      const about = {command, service, scope, startedAt: new Date()};
      const report = errorReport(about, 'start', command, {message});
      await writeReports(this.reportFiles, report).catch(() => undefined);
    }
    throw failure;
  }

  /**
   * Prepares the run with work that takes no abort signal, such as reading stdin. An interrupt rejects with an error,
   * which `catch` writes to the files of --report.
   */
  protected prepare<T>(work: () => Promise<T>): Promise<T> {
    return this.io.interruptible((signal) => {
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      return Promise.race([work(), aborted]);
    });
  }

  /**
   * Writes the report of a run to its files, and sets the exit code.
   *
   * @throws AppError `usage` when a file cannot be written, unless an error ended the run early
   */
  protected async conclude({report, error}: ReportRun, exitCode: number): Promise<void> {
    this.#isConcluded = true;
    const written = writeReports(this.reportFiles, report);
    await (error === undefined ? written : written.catch(() => undefined));
    this.io.exitCode = error?.exitCode ?? exitCode;
  }

  /**
   * Concludes a run, and shows its report.
   *
   * @param show renders the report for stdout, except with `--json`
   * @throws AppError the error that ended the run early, or `usage` when a file cannot be written
   */
  protected async publish(
    run: ReportRun,
    exitCode: number,
    show: () => Promise<string> | string,
  ): Promise<void> {
    const {report, error} = run;
    // Runs before the output, where a full disk ends the process.
    await this.conclude(run, exitCode);
    if (!this.io.json) await this.io.result(await show());
    else if (error === undefined) await this.io.result(await reportText('json', report));
    if (error !== undefined) throw error;
  }
}
