import {join} from 'node:path';
import process from 'node:process';
import type {Files} from './files.js';

/** Longest socket path that every system accepts, in bytes: macOS allows 104 with the final NUL. */
const longestSocketPath = 103;

/**
 * Calls `use` with the path of a socket in a directory. If that is too long for a socket, Linux can use
 * an open descriptor of the directory instead; other systems get undefined.
 */
export async function withSocketPath<Result>(
  files: Pick<Files, 'open'>,
  directory: string,
  name: string,
  use: (path: string) => Promise<Result>,
): Promise<Result | undefined> {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= longestSocketPath) return use(path);
  if (process.platform !== 'linux') return undefined;
  const handle = await files.open(directory, 'r');
  try {
    return await use(`/proc/self/fd/${handle.fd}/${name}`);
  } finally {
    await handle.close();
  }
}
