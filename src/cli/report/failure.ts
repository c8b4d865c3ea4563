import {redactSecrets} from '../../domain/secret.js';
import type {AppError} from '../../errors.js';
import {createReport, errorFinding} from './create.js';
import {
  checkReports,
  type ReportFormat,
  type ReportPlaces,
  readReportFile,
  writeReports,
} from './files.js';

/** Where a command that could not be carried out was to write its reports. */
interface WantedReports {
  /** The values of `--report`, which may not be valid. */
  readonly values: readonly string[];
  readonly formats: readonly ReportFormat[];
  readonly places: ReportPlaces;
}

/**
 * Writes to the files of `--report` that a command could not be carried out, so that none goes on claiming the
 * result of an earlier run. A file that cannot be written keeps the time of that run, too.
 *
 * @param command for instance `connector check`
 */
export async function reportFailure(
  command: string,
  {values, formats, places}: WantedReports,
  error: AppError,
): Promise<void> {
  const message = redactSecrets(error.message);
  const findings = [errorFinding('start', command, {message})];
  const report = createReport({command, service: '', startedAt: new Date()}, findings, message);
  for (const value of values) {
    try {
      const file = readReportFile(value, formats);
      await checkReports([file], places);
      await writeReports([file], report);
    } catch {
      // The command reports the error that ended it.
    }
  }
}
