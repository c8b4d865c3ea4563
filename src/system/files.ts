import {statSync} from 'node:fs';
import fs from 'node:fs/promises';

/** The file calls of everything that must be durable or locked; a test can watch them, or make any of them fail. */
export type Files = Pick<
  typeof fs,
  | 'chmod'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'readFile'
  | 'realpath'
  | 'rename'
  | 'rm'
  | 'stat'
  | 'unlink'
  | 'utimes'
>;

export const nodeFiles: Files = Object.assign(Object.create(fs), {
  // Each write checks the lock twice. The asynchronous call takes ten times as long, in the pool of threads.
  stat: async (path: string) => statSync(path),
});
