import writeFileAtomic from 'write-file-atomic';
import {AppError} from '../../errors.js';
import type {Report, ReportRenderer} from '../../render/report/report.js';
import {reasonOf} from '../errors/system-error.js';

/** The formats of `--report`. */
export const reportFormats = ['json', 'junit', 'tap', 'markdown'] as const;

/** A format that programs read, on stdout or in a file. */
type ReportFormat = (typeof reportFormats)[number] | 'nagios' | 'github' | 'prometheus';

/** A report that `--report` asks for. */
export interface ReportFile {
  readonly format: ReportFormat;
  readonly path: string;
}

/** Loads what writes a format; each is loaded only when it is used. */
export async function reportRenderer(format: ReportFormat): Promise<ReportRenderer> {
  switch (format) {
    case 'json':
      return (await import('../../render/report/json.js')).renderJsonReport;
    case 'junit':
      return (await import('../../render/report/junit.js')).renderJunit;
    case 'tap':
      return (await import('../../render/report/tap.js')).renderTap;
    case 'markdown':
      return (await import('../../render/report/markdown.js')).renderMarkdown;
    case 'nagios':
      return (await import('../../render/report/nagios.js')).renderNagios;
    case 'github':
      return (await import('../../render/report/github.js')).renderGithub;
    case 'prometheus':
      return (await import('../../render/report/prometheus.js')).renderPrometheus;
  }
}

/** Reads `FORMAT=PATH`. @throws AppError `usage` */
export function readReportFile(text: string): ReportFile {
  const [name, path = ''] = text.split(/=(.*)/s);
  const format = reportFormats.find((candidate) => candidate === name);
  if (format !== undefined && path !== '') return {format, path};
  throw new AppError('usage', `--report ${JSON.stringify(text)} is not FORMAT=PATH.`, {
    hint: `Write for instance --report junit=report.xml. A format is one of: ${reportFormats.join(', ')}.`,
  });
}

/** Writes reports, each of them whole or not at all. @throws AppError `usage` naming the path */
export async function writeReports(files: readonly ReportFile[], report: Report): Promise<void> {
  for (const {format, path} of files) {
    const render = await reportRenderer(format);
    await writeReport(path, [...render(report)].join(''));
  }
}

/** Writes a report whole or not at all. @throws AppError `usage` naming the path */
export async function writeReport(
  path: string,
  text: string,
  options: {readonly mode?: number} = {},
): Promise<void> {
  try {
    await writeFileAtomic(path, text, options);
  } catch (error) {
    throw new AppError('usage', `Cannot write the report ${path}: ${reasonOf(error)}.`, {
      hint: 'Choose a path in a directory that you can write to, on a disk with free space.',
      cause: error,
    });
  }
}
