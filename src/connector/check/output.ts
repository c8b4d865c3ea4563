import {Flags} from '@oclif/core';
import {exitCodes} from '../../errors.js';
import {letters} from '../../flags.js';
import {checkFormats, type ReportFormat, reportText} from '../../report/files.js';
import {nagiosExitCodes, nagiosStates} from '../../report/formats/nagios.js';
import {textReport} from '../../report/formats/text.js';
import type {Report} from '../../report/report.js';
import type {Palette} from '../../terminal/palette.js';
import {isMet} from './run.js';

/** The flag for the format on stdout. */
export const formatFlag = Flags.option({
  char: letters.output,
  description: `format: ${checkFormats.slice(0, -1).join(', ')} or ${checkFormats.at(-1)}; --json overrides it`,
  helpValue: 'FORMAT',
  options: checkFormats,
})();

/** The report on stdout; empty for an incomplete check in the formats that report its error separately. */
export async function showCheck(
  report: Report,
  isComplete: boolean,
  format: ReportFormat,
  palette: Palette,
): Promise<string> {
  if (!isComplete && (format === 'text' || format === 'nagios')) return '';
  return format === 'text' ? textReport(report, palette) : reportText(format, report);
}

/** The exit code of a check. The format `nagios` has its own codes. */
export function exitCodeOfCheck(
  report: Report,
  format: ReportFormat,
  check: {readonly failOnWarning: boolean},
): number {
  if (format === 'nagios') return nagiosExitCodes[nagiosStates[report.verdict]];
  return exitCodes[isMet(report, check) ? 'ok' : 'unmet'].code;
}
