import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {captureOutput} from '@oclif/test';
import {loadBundle} from '../build/bundle.js';
import {refuseStale} from '../build/fresh.js';
import {noHome, withoutTerminal} from '../process/environment.js';
import {root} from '../sources.js';

type BundledCli = typeof import('../../../scripts/bundle/cli.js');

/** What a command that changes a store writes beside its messages; test/e2e/service/keys.test.ts reads it. */
const auditLines = /^\{"level":"info",.*"audit":.*\n/gm;

/** The output and exit code of a command line. */
export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Execute = (argv: string[]) => Promise<number>;

async function load(target: 'bundle' | 'source'): Promise<Execute> {
  if (target !== 'source') return (loadBundle('./cli.cjs') as BundledCli).execute;
  refuseStale('build/cli/process/run.js');
  const unbundled = pathToFileURL(join(root, 'build', 'cli', 'process', 'run.js')).href;
  const {execute} = (await import(unbundled)) as typeof import('../../../src/cli/process/run.js');
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const pjson = {...read('package.json'), oclif: read('.oclifrc.json')};
  return (argv) => execute({root, pjson: {...pjson, dependencies: pjson.devDependencies}}, argv);
}

const loaded = new Map<'bundle' | 'source', Promise<Execute>>();

/** The command line to test, loaded once, with the types of the source. */
function executor(target: 'bundle' | 'source'): Promise<Execute> {
  const known = loaded.get(target) ?? load(target);
  loaded.set(target, known);
  return known;
}

/**
 * Runs a command line in this process, so that nock can respond to its requests.
 *
 * @param env added to the environment while it runs
 */
export async function runCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  target: 'bundle' | 'source' = 'bundle',
): Promise<CommandRun> {
  const home = {HOME: noHome, XDG_CONFIG_HOME: '', XDG_DATA_HOME: ''};
  return withoutTerminal({...process.env, ...home, ...env}, async () => {
    const execute = await executor(target);
    try {
      const {result, stdout, stderr, error} = await captureOutput<number>(
        () => execute([...argv]),
        {stripAnsi: false, testNodeEnv: 'production'},
      );
      if (error !== undefined) throw error;
      return {code: result ?? Number.NaN, stdout, stderr: stderr.replace(auditLines, '')};
    } finally {
      process.exitCode = undefined;
    }
  });
}
