import {runChild} from '../process/child.js';
import {testTarget} from '../process/target.js';
import {type CommandRun, runCommand} from './run-command.js';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line of which only the result matters: in this process, because a process takes ten times as
 * long; but the executable as a process. The runs are one after the other, because they share the environment.
 */
export async function runCli(
  argv: readonly string[],
  {env = {}, home}: {readonly env?: Readonly<Record<string, string>>; readonly home?: string} = {},
): Promise<CommandRun> {
  const own = {...env, ...(home !== undefined && {HOME: home})};
  if (testTarget === 'executable') return runChild(argv, {env: own});
  const run = last.then(() => runCommand(argv, own));
  last = run.catch(() => undefined);
  return run;
}
