import {AppError} from '../../errors.js';

/** What to do instead of each word or variable that a command took before the first release. */
export type Retired = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * By command, as oclif writes its id: what it took before, a flag, `-- COMMAND` or a variable, and the hint.
 * Nobody can meet these rows who starts with the first release, so this file goes after it.
 */
export const retired: Retired = {};

/**
 * Refuses a command line or an environment of before the first release, by name.
 *
 * @param id of the command, as oclif writes it
 * @throws AppError `usage` with the line to type instead
 */
export function refuseRetired(
  id: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  table = retired,
): void {
  const command = id.replaceAll(':', ' ');
  const end = argv.indexOf('--');
  const given = (end === -1 ? argv : argv.slice(0, end + 1)).map((word) =>
    word.replace(/=.*/s, ''),
  );
  for (const [name, hint] of Object.entries(table[id] ?? {})) {
    const isVariable = !name.startsWith('-');
    const [word = ''] = name.split(' ');
    if (isVariable ? !env[name] : !given.includes(word)) continue;
    const verb = isVariable ? 'reads' : 'takes';
    throw new AppError('usage', `connectorctl ${command} no longer ${verb} ${name}.`, {hint});
  }
}
