import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The project's root directory. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Reads a JSON file below the root directory. */
export function readJson<T>(...path: string[]): T {
  return JSON.parse(readFileSync(join(root, ...path), 'utf8'));
}
