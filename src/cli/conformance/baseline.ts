import {readFile} from 'node:fs/promises';
import {Flags, type Interfaces} from '@oclif/core';
import type {Check} from '../../conformance/model.js';
import type {Finding} from '../../domain/fleet/findings.js';
import {AppError} from '../../errors.js';
import type {Report} from '../../render/report/report.js';
import {writeUserFile} from '../../system/durable-file.js';
import {nodeFiles} from '../../system/files.js';
import {reasonOf} from '../errors/system-error.js';
import {textFlag} from '../flags.js';
import {unknownCheckHint} from './selection.js';

const head =
  '# Checks of connectorctl conformance that are known to fail; one that passes is an error.';

/** The flags of the baseline. */
export const baselineFlags = {
  baseline: textFlag({
    description: 'file with the ids of checks that are known to fail; one that passes is a failure',
    helpValue: 'PATH',
  }),
  'write-baseline': Flags.boolean({
    dependsOn: ['baseline'],
    description: 'add the checks that fail now to the baseline, and remove those that pass',
  }),
};
type BaselineFlags = Interfaces.InferredFlags<typeof baselineFlags>;

/** The id in a line of a baseline; empty when it has none. */
const idOf = (line: string): string => line.replace(/#.*/, '').trim();

/**
 * Reads the baseline: one id of a check per line, `#` begins a comment. Empty without one, and when a baseline
 * that is about to be written does not exist.
 *
 * @throws AppError `usage`
 */
export async function readBaseline(
  {baseline: path, 'write-baseline': mayBeMissing}: BaselineFlags,
  checks: readonly Pick<Check, 'id'>[],
): Promise<ReadonlySet<string>> {
  if (path === undefined) return new Set();
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (mayBeMissing) return new Set();
    throw new AppError('usage', `Cannot read the baseline ${path}: ${reasonOf(error)}.`, {
      hint: 'Create one with --baseline PATH --write-baseline.',
      cause: error,
    });
  }
  const entries = text
    .split(/\r?\n/)
    .map(idOf)
    .filter((id) => id !== '');
  const unknown = entries.find((id) => !checks.some((check) => check.id === id));
  if (unknown !== undefined) {
    const message = `The baseline ${path} has an unknown check: ${JSON.stringify(unknown)}`;
    throw new AppError('usage', message, {
      hint: `Change or remove the line. ${unknownCheckHint(unknown, checks)}`,
    });
  }
  return new Set(entries);
}

/** The entries whose check passes now. Each is a finding that fails. */
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

/**
 * Writes the ids of the checks that do not hold. Other lines of the file are unchanged, with their comments,
 * unless their check holds now.
 *
 * @returns a sentence for people
 * @throws AppError `usage`
 */
export async function writeBaseline(
  path: string,
  {findings}: Report,
  strict: boolean,
): Promise<string> {
  const levels: readonly unknown[] = strict ? ['must', 'should'] : ['must'];
  const failing = findings.filter(
    ({details}) => details?.['holds'] === false && levels.includes(details['level']),
  );
  const holding = new Set(findings.flatMap(({id, status}) => (status === 'pass' ? id : [])));
  const before = await readFile(path, 'utf8').catch(() => head);
  const kept = before
    .trimEnd()
    .split(/\r?\n/)
    .filter((line) => !holding.has(idOf(line)));
  const known = new Set(kept.map(idOf));
  const added = failing.flatMap(({id}) => (known.has(id) ? [] : id));
  const lines = [...kept, ...added];
  try {
    await writeUserFile(nodeFiles, path, `${lines.join('\n')}\n`);
  } catch (error) {
    throw new AppError('usage', `Cannot write the baseline ${path}: ${reasonOf(error)}.`, {
      hint: 'Choose a path in a directory that you can write to.',
      cause: error,
    });
  }
  const count = lines.map(idOf).filter((id) => id !== '').length;
  return `Wrote ${count === 1 ? '1 known failure' : `${count} known failures`} to ${path}.`;
}
