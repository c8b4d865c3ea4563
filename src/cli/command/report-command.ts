import {Flags} from '@oclif/core';
import type {Verdict} from '../../domain/fleet/findings.js';
import {exitCodes} from '../../errors.js';
import type {Report} from '../../render/report/report.js';
import {flagValues, wordsAndValues} from '../errors/output-mode.js';
import type {ReportRun} from '../report/create.js';
import {reportFailure} from '../report/failure.js';
import {
  checkReports,
  type ReportFile,
  type ReportFormat,
  type ReportPlaces,
  readReportFile,
  reportFormats,
  reportRenderer,
  writeReports,
} from '../report/files.js';
import {ServiceCommand} from './service-command.js';

const verdictKinds = {
  pass: 'ok',
  warn: 'ok',
  fail: 'unmet',
  empty: 'unmet',
  error: 'internal',
} as const satisfies Record<Verdict, keyof typeof exitCodes>;

/** The exit code of a verdict; a warning is a pass. */
export function exitCodeOf({verdict}: Pick<Report, 'verdict'>): number {
  return exitCodes[verdictKinds[verdict]].code;
}

/** The environment variables that may name a file. */
const usedVariables = /^(?:CONNECTORCTL_|NODE_EXTRA_CA_CERTS$|SSL_CERT_FILE$)/;

/** How a command presents its report. */
interface Presentation {
  /**
   * The form on stdout, in chunks. JSON mode shows the report as JSON instead.
   *
   * @param isComplete false for a run that an error ended early
   */
  readonly show: (report: Report, isComplete: boolean) => AsyncIterable<string> | Iterable<string>;
  /** Default: by the verdict. */
  readonly exitCode?: (report: Report) => number;
}

/** The flag for reports in these formats. */
export const reportFlag = (formats: readonly ReportFormat[]) =>
  Flags.string({
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

  /** The formats of --report. */
  protected readonly reportFormats: readonly ReportFormat[] = reportFormats;

  /** Whether the files of --report have the result, or could not be written. */
  #isConcluded = false;

  /** The words of the command line and the environment that may name files which the command uses. */
  get #named(): readonly string[] {
    const variables = Object.entries(process.env).filter(([name]) => usedVariables.test(name));
    return [...wordsAndValues(this.argv), ...variables.map(([, value = '']) => value)];
  }

  override async catch(error: Error): Promise<never> {
    if (!this.#isConcluded) {
      const values = flagValues(this.argv, '--report');
      const wanted = {values, formats: this.reportFormats, named: this.#named};
      const command = this.id?.replaceAll(':', ' ') ?? '';
      await reportFailure(command, wanted, await this.explained(error));
    }
    return super.catch(error);
  }

  /**
   * The files of --report, which the run can probably write.
   *
   * @throws AppError `usage` before the first request
   */
  protected async reportFiles(places?: ReportPlaces): Promise<readonly ReportFile[]> {
    const given: readonly string[] = this.commandLine.flags['report'] ?? [];
    const files = given.map((text) => readReportFile(text, this.reportFormats));
    await checkReports(files, {...places, named: this.#named});
    return files;
  }

  /**
   * Writes the report of a run to its files, and sets the exit code.
   *
   * @throws AppError `usage` when a file cannot be written, unless an error ended the run early
   */
  protected async conclude(
    files: readonly ReportFile[],
    {report, error}: ReportRun,
    exitCode: number,
  ): Promise<void> {
    this.#isConcluded = true;
    const written = writeReports(files, report);
    await (error === undefined ? written : written.catch(() => undefined));
    process.exitCode = error?.exitCode ?? exitCode;
  }

  /**
   * Concludes a run, and shows its report.
   *
   * @throws AppError the error that ended the run early, or `usage` when a file cannot be written
   */
  protected async publish(
    files: readonly ReportFile[],
    run: ReportRun,
    {show, exitCode = exitCodeOf}: Presentation,
  ): Promise<void> {
    const {report, error} = run;
    // Before the output: a closed pipe ends the process there.
    await this.conclude(files, run, exitCode(report));
    if (!this.jsonEnabled()) {
      for await (const chunk of show(report, error === undefined)) await this.write(chunk);
    } else if (error === undefined) {
      const render = await reportRenderer('json');
      for (const chunk of render(report)) await this.write(chunk);
    }
    if (error !== undefined) throw error;
  }
}
