import type {AppError} from '../../../errors.js';
import {flagValues} from '../../errors/output-mode.js';
import {reportFailure} from '../../report/failure.js';
import {checkFormats, type ReportPlaces} from '../../report/files.js';

/** What a check reads, which no report may replace; from a command line that may not be valid. */
export function placesOfReports(argv: readonly string[]): ReportPlaces {
  const [path] = flagValues(argv, '--expect');
  return {read: path === undefined ? undefined : {path, what: 'the inventory'}};
}

/** Writes to the files of `--report` that the check could not start. */
export function reportUnstarted(argv: readonly string[], error: AppError): Promise<void> {
  const values = flagValues(argv, '--report');
  const wanted = {values, formats: checkFormats, places: placesOfReports(argv)};
  return reportFailure('connector check', wanted, error);
}
