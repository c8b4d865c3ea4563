import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {root} from '../sources.js';

/** What is built from: a change there makes what was built stale. */
const inputs = ['src', '.oclifrc.json', 'scripts/build', 'scripts/bundle', 'scripts/build.ts'];

/**
 * Refuses to test what was built from other sources than the present ones.
 *
 * @param built a file that the build writes, below the root directory
 * @param command what builds it
 * @throws Error if the file is missing, or older than a source
 */
export function refuseStale(built: string, command = 'npm run build'): void {
  const time = statSync(join(root, built), {throwIfNoEntry: false})?.mtimeMs;
  if (time === undefined) throw new Error(`${built} is missing: run ${command}`);
  const newer = inputs.flatMap(filesBelow).find((path) => statSync(path).mtimeMs > time);
  if (newer !== undefined) {
    throw new Error(`${built} is stale, since ${newer} is newer: run ${command}`);
  }
}

function filesBelow(input: string): string[] {
  const path = join(root, input);
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, {recursive: true, encoding: 'utf8'}).map((name) => join(path, name));
}
