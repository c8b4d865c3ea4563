import {Flags} from '@oclif/core';
import {exitCodes} from '../../errors.js';
import {letters} from '../../flags.js';
import {type ReportFile, reportFormats, reportText} from '../../report/files.js';
import {nagiosExitCodes, nagiosStates} from '../../report/formats/nagios.js';
import {textReport} from '../../report/formats/text.js';
import type {Report} from '../../report/report.js';
import type {Palette} from '../../terminal/palette.js';
import {isMet} from './run.js';

const formats = ['text', 'json', 'junit', 'markdown', 'nagios', 'prometheus'] as const;

/** The formats that hold every finding. */
const wholeFormats: ReadonlySet<string> = new Set(reportFormats);

/** What stdout shows. */
export type CheckFormat = (typeof formats)[number];

/** The flag for the format on stdout. */
export const formatFlag = Flags.option({
  char: letters.output,
  description: `format: ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}; --json overrides it`,
  helpValue: 'FORMAT',
  options: formats,
})();

/** How to show a check. */
interface Presentation {
  readonly format: CheckFormat;
  readonly palette: Palette;
  /** Where it is written, too. */
  readonly files: readonly ReportFile[];
}

/** A check that failed to run is an error in most formats; text, JSON and plugins have their own errors. */
export async function showCheck(
  report: Report,
  isComplete: boolean,
  {format, palette, files}: Presentation,
): Promise<string> {
  if (!isComplete && (format === 'text' || format === 'nagios')) return '';
  if (format !== 'text') return reportText(format, report);
  const whole = files.find((file) => wholeFormats.has(file.format));
  return textReport(report, palette, whole?.path);
}

/** Monitoring systems have their own exit codes. */
export function exitCodeOfCheck(
  report: Report,
  format: CheckFormat,
  check: {readonly failOnWarning: boolean},
): number {
  if (format === 'nagios') return nagiosExitCodes[nagiosStates[report.verdict]];
  return exitCodes[isMet(report, check) ? 'ok' : 'unmet'].code;
}
