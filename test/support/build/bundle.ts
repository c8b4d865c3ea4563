import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {runInThisContext} from 'node:vm';
import {root} from '../sources.js';
import {refuseStale} from './fresh.js';

const requireHere = createRequire(import.meta.url);
const loaded = new Map<string, {exports: unknown}>();

/** Loads a file of the bundle into this process as `start.cjs` does, but without a code cache. */
export function loadBundle(name: string): unknown {
  if (!name.startsWith('./')) return requireHere(name);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  if (loaded.size === 0) refuseStale('dist/start.cjs');
  const filename = join(root, 'dist', name);
  const module = {exports: {}, filename};
  loaded.set(name, module);
  const run = runInThisContext(readFileSync(filename, 'latin1'), {filename});
  run(module.exports, loadBundle, module, filename, join(root, 'dist'));
  return module.exports;
}
