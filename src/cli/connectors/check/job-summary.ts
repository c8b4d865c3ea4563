import {appendFile, stat} from 'node:fs/promises';
import {markdownWithin} from '../../../render/report/markdown.js';
import type {Report} from '../../../render/report/report.js';
import {reasonOf} from '../../errors/system-error.js';
import {writeMessage} from '../../terminal/streams.js';

/** Bytes of the summary of one step; GitHub shows nothing of a longer one. */
const mostBytes = 1024 * 1024;

/**
 * Appends a report to the job summary of GitHub Actions, as much of it as fits. Without a summary the check still has
 * its result, so a file that cannot be written is only a warning.
 *
 * @returns whether it was written
 */
export async function appendJobSummary(path: string, report: Report): Promise<boolean> {
  try {
    const {size} = await stat(path).catch(() => ({size: 0}));
    const text = markdownWithin(report, mostBytes - size);
    if (text === '') throw new Error('it has no room left, since a summary is limited to 1 MiB');
    await appendFile(path, text);
    return true;
  } catch (error) {
    writeMessage(`Warning: Cannot write the job summary ${path}: ${reasonOf(error)}.`);
    return false;
  }
}
