import {execFileSync} from 'node:child_process';
import {closeSync, constants, openSync, writeSync} from 'node:fs';
import {atEndOfTest} from './at-end-of-test.js';

/** Opens a pipe that is full and that nobody reads, until the end of the test. */
export function fullPipe(path: string): number {
  execFileSync('mkfifo', [path]);
  // A reader that never reads, for as long as this process has the pipe open.
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  atEndOfTest(async () => closeSync(pipe));
  for (const size of [4096, 1]) {
    try {
      for (;;) writeSync(pipe, 'x'.repeat(size));
    } catch {
      // It is full.
    }
  }
  return pipe;
}
