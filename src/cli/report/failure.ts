import {sep} from 'node:path';
import {redactSecrets} from '../../domain/secret.js';
import type {AppError} from '../../errors.js';
import {createReport, errorFinding} from './create.js';
import {checkReports, type ReportFormat, readReportFile, realPath, writeReports} from './files.js';

/** Where a command that could not be carried out was to write its reports. */
interface WantedReports {
  /** The values of `--report`, which may not be valid. */
  readonly values: readonly string[];
  readonly formats: readonly ReportFormat[];
  /** The words that name what the command uses. */
  readonly named: readonly string[];
}

/**
 * Writes to the files of `--report` that a command could not be carried out, so that none goes on claiming the
 * result of an earlier run. A file that cannot be written keeps the time of that run, too. What is in a directory that
 * the command uses stays: only the whole command knows the files there.
 *
 * @param command for instance `connector check`
 */
export async function reportFailure(
  command: string,
  {values, formats, named}: WantedReports,
  error: AppError,
): Promise<void> {
  const message = redactSecrets(error.message);
  const findings = [errorFinding('start', command, {message})];
  const report = createReport({command, service: '', startedAt: new Date()}, findings, message);
  for (const value of values) {
    try {
      const file = readReportFile(value, formats);
      await checkReports([file], {named});
      if (await isInside(file.path, named)) continue;
      await writeReports([file], report);
    } catch {
      // The command reports the error that ended it.
    }
  }
}

/** Whether a path is inside a directory that one of the words names. */
async function isInside(path: string, words: readonly string[]): Promise<boolean> {
  const real = await realPath(path);
  const directories = await Promise.all(words.map((word) => realPath(word)));
  return directories.some((directory) => real.startsWith(`${directory}${sep}`));
}
