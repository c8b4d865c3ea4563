import {execFile} from 'node:child_process';
import {tmpdir} from 'node:os';
import {promisify} from 'node:util';
import {organizationKey} from '../support/values/secrets.js';

const runFile = promisify(execFile);

/** How a program ends, beside which this process goes on, for instance to be its service. */
export async function result(program: string, ...argv: readonly string[]) {
  // gojq and ssconvert want a home directory, which the tests have not.
  const env = {...process.env, HOME: tmpdir(), CONNECTORCTL_API_KEY: organizationKey()};
  try {
    const {stdout} = await runFile(program, argv, {timeout: 60_000, env});
    return {code: 0, stdout};
  } catch (error) {
    const {code, stdout, stderr} = error as {code: number; stdout: string; stderr: string};
    return {code, stdout, stderr};
  }
}

/** What a program prints. @throws when it fails or takes more than a minute */
export async function run(program: string, ...argv: readonly string[]): Promise<string> {
  const {code, stdout, stderr} = await result(program, ...argv);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`);
  return stdout;
}
