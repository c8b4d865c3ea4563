import {spawnSync} from 'node:child_process';
import {appendFileSync} from 'node:fs';

/** Says what is not tested here, or a figure: on stderr, or, in a run of `scripts/test.ts`, after all tests. */
export function notice(line: string): void {
  const file = process.env['TEST_NOTICES'];
  if (file === undefined) process.stderr.write(`${line}\n`);
  else appendFileSync(file, `${line}\n`);
}

/** Whether a program can be run here. If it cannot, the tests that need it are left out, and a notice says so. */
export function isInstalled(program: string): boolean {
  const {error} = spawnSync(program, ['--version']);
  if (error) notice(`Not installed: ${program}. What needs it is not tested.`);
  return error === undefined;
}
