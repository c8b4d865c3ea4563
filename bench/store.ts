/**
 * `npm run bench:store`: the figures of the JSON file store, each a ratio within this run. Needs
 * about 2 GB of disk and seven minutes on two quiet cores, or a quarter of an hour with the argument
 * `all`; other arguments choose measurements. `BENCH_SECONDS` (default 3) is the length of one
 * measurement, `BENCH_ROUNDS` (default 5) how often those that alternate are repeated.
 */
import {fork, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {type Figure, table} from './figures.js';
import {measures} from './store/measures.js';

/**
 * Measures in a separate process, after the disk has written everything: what one measurement leaves in
 * memory and on the disk would slow down the next.
 */
async function measure(name: string, directory: string): Promise<readonly Figure[]> {
  spawnSync('sync');
  const child = fork(fileURLToPath(new URL('store/measure.ts', import.meta.url)), [
    name,
    directory,
  ]);
  const figures: Figure[] = [];
  child.on('message', (message) => figures.push(...(message as readonly Figure[])));
  const [code] = await once(child, 'close');
  // A measurement without figures prints the reason on stderr.
  if (code !== 0) throw new Error(`the measurement ${name} failed`);
  return figures;
}

/** The measurements without arguments. */
const usual = ['heartbeats', 'get', 'start'];

const words = process.argv.slice(2);
const chosen = words.length > 0 ? words : usual;
const wanted = chosen.includes('all') ? Object.keys(measures) : chosen;
const unknown = wanted.filter((name) => !Object.hasOwn(measures, name));
if (unknown.length > 0) {
  const names = ['all', ...Object.keys(measures)].join(', ');
  throw new Error(`There is no measurement ${unknown.join(', ')}; there are ${names}.`);
}
const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));
const figures: Figure[] = [];
try {
  for (const name of wanted) {
    process.stderr.write(`${name} …\n`);
    figures.push(...(await measure(name, directory)));
  }
} finally {
  await rm(directory, {recursive: true, force: true});
}
const [cpu] = os.cpus();
console.log(`Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown'}\n`);
console.log(table(figures));
process.exitCode = figures.every(({reached}) => reached) ? 0 : 1;
