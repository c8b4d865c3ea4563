import {fstatSync} from 'node:fs';
import {access, constants, lstat, realpath, stat, writeFile} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {AppError} from '../../errors.js';
import {noColors} from '../../render/palette.js';
import type {Report, ReportRenderer} from '../../render/report/report.js';
import {writeUserFile} from '../../system/durable-file.js';
import {nodeFiles} from '../../system/files.js';
import {requireTrustedLink} from '../../system/trusted-files.js';
import {hasCode, reasonOf, writeHint} from '../errors/system-error.js';

/** The formats of `--report` in all commands that have one; each holds every finding. */
export const reportFormats = ['json', 'junit', 'markdown'] as const;

/** The formats of a check. */
export const checkFormats = [...reportFormats, 'text', 'nagios', 'github', 'prometheus'] as const;

/** A format of a report. */
export type ReportFormat = (typeof checkFormats)[number];

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
    case 'markdown':
      return (await import('../../render/report/markdown.js')).renderMarkdown;
    case 'text': {
      const {renderTextReport} = await import('../../render/report/text.js');
      return (report) => renderTextReport(report, noColors);
    }
    case 'nagios':
      return (await import('../../render/report/nagios.js')).renderNagios;
    case 'github':
      return (await import('../../render/report/github.js')).renderGithub;
    case 'prometheus':
      return (await import('../../render/report/prometheus.js')).renderPrometheus;
  }
}

/**
 * Reads `FORMAT=PATH`.
 *
 * @param formats those that the command has
 * @throws AppError `usage`
 */
export function readReportFile(
  text: string,
  formats: readonly ReportFormat[] = reportFormats,
): ReportFile {
  const [name, path = ''] = text.split(/=(.*)/s);
  const format = formats.find((candidate) => candidate === name);
  if (path === '-') {
    throw new AppError('usage', '--report needs the path of a file, not -.', {
      hint: 'To read a report on stdout, use --output or --json; for a file of this name, write ./-.',
    });
  }
  if (format !== undefined && path !== '') return {format, path};
  throw new AppError('usage', `--report ${JSON.stringify(text)} is not FORMAT=PATH.`, {
    hint: `Write for instance --report junit=report.xml. A format is one of: ${formats.join(', ')}.`,
  });
}

/** What a run does to the places of its reports. */
export interface ReportPlaces {
  /** The words that name the files it uses; `-` is stdin. Not all of them have to be paths. */
  readonly named?: readonly string[];
  /** A directory that it makes. */
  readonly made?: string | undefined;
  /** What a report at one of these absolute paths would replace. */
  readonly replaced?: ReadonlyMap<string, string>;
}

/**
 * Finds most of what makes `writeReports` fail, before a run that may take long. A disk that becomes full is not
 * among it.
 *
 * @throws AppError `usage` naming the path
 */
export async function checkReports(
  files: readonly ReportFile[],
  {made, named = [], replaced}: ReportPlaces = {},
): Promise<void> {
  const taken = new Set<string>();
  for (const {path} of files) {
    const absolute = resolve(path);
    const directory = dirname(absolute);
    const lost = (await usedFile(path, named)) ?? replaced?.get(await realPath(absolute));
    if (lost !== undefined) {
      throw new AppError('usage', `The report ${path} would replace ${lost}.`, {
        hint: 'Choose another path for the report.',
      });
    }
    try {
      const found = await kindOf(path);
      if (found === 'directory') throw new Error('it is a directory');
      if (found === 'file') requireTrustedLink(path, await lstat(path));
      if (found === 'special') {
        await access(path, constants.W_OK);
        continue;
      }
      if (made === undefined || directory !== resolve(made))
        await access(directory, constants.W_OK | constants.X_OK);
      if (taken.has(absolute)) throw new Error('another report has the same path');
      taken.add(absolute);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }
}

/**
 * Writes reports, each of them whole or not at all, and the others if one cannot be written.
 *
 * @throws AppError `usage` naming the path of the first that cannot
 */
export async function writeReports(files: readonly ReportFile[], report: Report): Promise<void> {
  const errors: unknown[] = [];
  for (const {format, path} of files) {
    const render = await reportRenderer(format);
    await writeReport(path, [...render(report)].join('')).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * Writes a report whole or not at all; to a device or a pipe as it comes.
 *
 * @throws AppError `usage` naming the path
 */
export async function writeReport(path: string, text: string): Promise<void> {
  try {
    // A file would take the place of the device: of /dev/null, to root.
    if ((await kindOf(path)) === 'special') await writeFile(path, text);
    else await writeUserFile(nodeFiles, path, text);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Describes the file at a path if one of the words names it too. */
async function usedFile(path: string, words: readonly string[]): Promise<string | undefined> {
  for (const word of words) {
    if (!(await isSameFile(path, word))) continue;
    return word === '-' ? 'the file on stdin' : `${word}, which this command uses`;
  }
  return undefined;
}

/** Whether two paths lead to one regular file, by whatever links; `-` is stdin. */
async function isSameFile(path: string, other: string): Promise<boolean> {
  try {
    const one = await stat(path, {bigint: true});
    const two = other === '-' ? fstatSync(0, {bigint: true}) : await stat(other, {bigint: true});
    return one.isFile() && one.ino === two.ino && one.dev === two.dev;
  } catch {
    return false;
  }
}

/** The path without links in its directory, which may not exist yet. */
export async function realPath(path: string): Promise<string> {
  const absolute = resolve(path);
  const directory = dirname(absolute);
  return join(await realpath(directory).catch(() => directory), basename(absolute));
}

/** What is at a path, after links. @throws the system's error */
async function kindOf(path: string): Promise<'directory' | 'file' | 'nothing' | 'special'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'directory';
    return found.isFile() ? 'file' : 'special';
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'nothing';
    throw error;
  }
}

function cannotWrite(path: string, cause: unknown): AppError {
  return new AppError('usage', `Cannot write the report ${path}: ${reasonOf(cause)}.`, {
    hint: writeHint(cause, '--report'),
    cause,
  });
}
