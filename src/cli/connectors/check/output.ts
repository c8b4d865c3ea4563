import {appendFile} from 'node:fs/promises';
import {Flags} from '@oclif/core';
import {exitCodes} from '../../../errors.js';
import type {Palette} from '../../../render/palette.js';
import {nagiosExitCodes, nagiosState} from '../../../render/report/nagios.js';
import type {Report} from '../../../render/report/report.js';
import {renderTextReport} from '../../../render/report/text.js';
import {letters} from '../../flags.js';
import {reportRenderer} from '../../report/files.js';
import {isMet} from './run.js';

const formats = ['text', 'json', 'junit', 'nagios', 'github', 'prometheus'] as const;

/** What stdout shows. */
export type CheckFormat = (typeof formats)[number];

/** The flag for the format on stdout. */
export const formatFlag = Flags.option({
  char: letters.output,
  description: `format: ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}; --json overrides it`,
  helpValue: 'FORMAT',
  options: formats,
})();

/** A check that failed to run is an error in most formats; text, JSON and plugins have their own errors. */
export async function* showCheck(
  report: Report,
  isComplete: boolean,
  {format, palette}: {readonly format: CheckFormat; readonly palette: Palette},
): AsyncGenerator<string> {
  if (!isComplete && (format === 'text' || format === 'nagios')) return;
  if (format === 'text') yield* renderTextReport(report, palette);
  else yield* (await reportRenderer(format))(report);
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (!isComplete || format !== 'github' || !summary) return;
  const markdown = await reportRenderer('markdown');
  await appendFile(summary, [...markdown(report)].join(''));
}

/** Monitoring systems have their own exit codes. */
export function exitCodeOfCheck(
  report: Report,
  format: CheckFormat,
  check: {readonly failOnWarning: boolean},
): number {
  if (format === 'nagios') return nagiosExitCodes[nagiosState(report.verdict)];
  return exitCodes[isMet(report, check) ? 'ok' : 'unmet'].code;
}
