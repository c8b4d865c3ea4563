import {statSync} from 'node:fs';
import fs from 'node:fs/promises';

/** The file calls for durable writes and locks. Tests replace them to observe calls or to make them fail. */
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
  // Each write checks the lock twice. An asynchronous `stat`, which runs in the thread pool, takes ten times as long.
  stat: async (path: string) => statSync(path),
});
