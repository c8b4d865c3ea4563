import {mkdir, stat} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';
import {errorCode} from './error-codes.js';

/**
 * Creates a directory and its missing parents, for their owner only. Node's `recursive` never returns below a
 * parent that allows no directories, such as `/proc`.
 *
 * @returns the created directories, outermost first
 * @throws the system's error
 */
export async function makeDirectory(directory: string): Promise<readonly string[]> {
  const path = resolve(directory);
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return [];
  const parents = dirname(path) === path ? [] : await makeDirectory(dirname(path));
  try {
    await mkdir(path, {mode: 0o700});
    return [...parents, path];
  } catch (error) {
    // Another process created it first.
    if (errorCode(error) === 'EEXIST') return parents;
    throw error;
  }
}
