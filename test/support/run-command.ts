import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {captureOutput} from '@oclif/test';
import {root} from './sources.js';

/** What a command line wrote and how it ended. */
export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// The built command line, since that is what people run; the types are the source's.
const built = pathToFileURL(join(root, 'dist', 'cli', 'main.js')).href;
const {execute} = (await import(built)) as typeof import('../../src/cli/main.js');

/**
 * Runs a command line in this process, so that nock can answer its requests.
 *
 * @param env added to the environment while it runs
 */
export async function runCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const before = {...process.env};
  // No settings file of the developer's own.
  Object.assign(process.env, {HOME: '/nonexistent', XDG_CONFIG_HOME: '', XDG_DATA_HOME: ''}, env);
  try {
    const bin = pathToFileURL(join(root, 'bin', 'run.js')).href;
    const {result, stdout, stderr, error} = await captureOutput<number>(
      () => execute(bin, [...argv]),
      {
        stripAnsi: false,
        testNodeEnv: 'production',
      },
    );
    if (error !== undefined) throw error;
    return {code: result ?? Number.NaN, stdout, stderr};
  } finally {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
    process.exitCode = undefined;
  }
}
