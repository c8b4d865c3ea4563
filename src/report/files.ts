import {lstat, stat, writeFile} from 'node:fs/promises';
import {AppError} from '../errors.js';
import {nodeFiles, writeUserFile} from '../system/durable-file.js';
import {reasonOf, writeHint} from '../system/system-error.js';
import {requireTrustedLink} from '../system/trusted-files.js';
import {noColors, type Palette} from '../terminal/escape.js';
import type {Report} from './report.js';

/** The formats of `--report` in all commands with this flag; each holds every finding. */
export const reportFormats = ['json', 'junit', 'markdown'] as const;

/** The formats of a check, on stdout and for `--report`. */
export const checkFormats = ['text', ...reportFormats, 'nagios', 'prometheus'] as const;

export type ReportFormat = (typeof checkFormats)[number];

/** A report that `--report` asks for. */
export interface ReportFile {
  readonly format: ReportFormat;
  readonly path: string;
}

/** Loads each format only when a report needs it. */
const formats = {
  text: async () => (await import('./formats/text.js')).textReport,
  json: async () => (await import('./formats/json.js')).jsonReport,
  junit: async () => (await import('./formats/junit.js')).junitReport,
  markdown: async () => (await import('./formats/markdown.js')).markdownReport,
  nagios: async () => (await import('./formats/nagios.js')).nagiosReport,
  prometheus: async () => (await import('./formats/prometheus.js')).prometheusReport,
};

/** Renders a report in a format; only text has colors. */
export async function reportText(
  format: ReportFormat,
  report: Report,
  palette: Palette = noColors,
): Promise<string> {
  return (await formats[format]())(report, palette);
}

/**
 * Reads `FORMAT=PATH`.
 *
 * @param known the formats that the command offers
 * @throws AppError `usage`
 */
export function readReportFile(text: string, known: readonly ReportFormat[]): ReportFile {
  const [name, path = ''] = text.split(/=(.*)/s);
  const format = known.find((candidate) => candidate === name);
  if (path === '-') {
    throw new AppError('usage', '--report needs the path of a file, not -.', {
      hint: 'To read a report on stdout, use --output or --json; for a file of this name, write ./-.',
    });
  }
  if (format !== undefined && path !== '') return {format, path};
  throw new AppError('usage', `--report ${JSON.stringify(text)} is not FORMAT=PATH.`, {
    hint: `Write for instance --report junit=report.xml. A format is one of: ${known.join(', ')}.`,
  });
}

/**
 * Writes all reports, even if one of them cannot be written.
 *
 * @throws AppError `usage`, which names the first path that cannot be written
 */
export async function writeReports(files: readonly ReportFile[], report: Report): Promise<void> {
  const errors: unknown[] = [];
  for (const {format, path} of files) {
    await writeReport(path, await reportText(format, report)).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** Writes a report whole or not at all; a device or a pipe may get a part of it. */
async function writeReport(path: string, text: string): Promise<void> {
  try {
    const entry = await lstat(path).catch(() => undefined);
    if (entry !== undefined) requireTrustedLink(path, entry);
    const found = await stat(path).catch(() => undefined);
    // Replacing a device by a file would destroy it: root could replace /dev/null.
    const isSpecial = found !== undefined && !found.isFile() && !found.isDirectory();
    if (isSpecial) await writeFile(path, text);
    else await writeUserFile(nodeFiles, path, text);
  } catch (error) {
    throw new AppError('usage', `Cannot write the report ${path}: ${reasonOf(error)}.`, {
      hint: writeHint(error, '--report'),
      cause: error,
    });
  }
}
