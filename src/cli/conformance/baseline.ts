import {readFile} from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import type {Finding} from '../../domain/findings.js';
import {AppError} from '../../errors.js';
import {reasonOf} from '../errors/system-error.js';

/**
 * Reads a baseline: one id of a check per line, `#` begins a comment.
 *
 * @param mayBeMissing a baseline that is about to be written need not exist
 * @throws AppError `usage`
 */
export async function readBaseline(
  path: string,
  known: ReadonlySet<string>,
  mayBeMissing: boolean,
): Promise<ReadonlySet<string>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (mayBeMissing) return new Set();
    throw new AppError('usage', `Cannot read the baseline ${path}: ${reasonOf(error)}.`, {
      hint: 'Make one with --baseline PATH --write-baseline.',
      cause: error,
    });
  }
  const ids = text.split(/\r?\n/).map((line) => line.replace(/#.*/, '').trim());
  const entries = ids.filter((id) => id !== '');
  const unknown = entries.find((id) => !known.has(id));
  if (unknown !== undefined && !mayBeMissing) {
    throw new AppError(
      'usage',
      `The baseline ${path} names no check: ${JSON.stringify(unknown)}.`,
      {
        hint: 'Remove the line. See the ids with: connectorctl conformance --list',
      },
    );
  }
  return new Set(entries);
}

/** The entries that are not true any more: the check passes. Each is a finding that fails. */
export function staleEntries(
  baseline: ReadonlySet<string>,
  findings: readonly Finding[],
  path: string,
): Finding[] {
  return findings
    .filter(({id, status}) => baseline.has(id) && status === 'pass')
    .map(({id}) => ({
      id: 'baseline/stale',
      subject: id,
      status: 'fail',
      message: `${id} passes now: remove it from ${path}`,
    }));
}

/** Writes the ids of the checks that do not hold. @throws AppError `usage` */
export async function writeBaseline(
  path: string,
  findings: readonly Finding[],
  strict: boolean,
): Promise<number> {
  const levels: readonly unknown[] = strict ? ['must', 'should'] : ['must'];
  const failing = findings.filter(
    ({details}) => details?.['holds'] === false && levels.includes(details['level']),
  );
  const head =
    '# Checks of connectorctl conformance that are known to fail; one that passes is an error.';
  try {
    await writeFileAtomic(path, [head, ...failing.map(({id}) => id), ''].join('\n'));
  } catch (error) {
    throw new AppError('usage', `Cannot write the baseline ${path}: ${reasonOf(error)}.`, {
      hint: 'Name a path in a directory that you may write to.',
      cause: error,
    });
  }
  return failing.length;
}
