/**
 * `npm run bench:store`: the figures of the JSON file store, each a ratio within this run. Needs
 * about 2 GB of disk and ten minutes on two quiet cores. `BENCH_SECONDS` (default 3) is the length
 * of one measurement, `BENCH_ROUNDS` (default 5) how often those that alternate are repeated.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {type Figure, table} from './figures.js';
import {measures} from './store/measures.js';

const only = process.argv.slice(2);
const folder = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));
const figures: Figure[] = [];
let failed = false;
try {
  for (const [name, measure] of Object.entries(measures)) {
    if (only.length > 0 && !only.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await measure(folder)));
  }
} finally {
  await rm(folder, {recursive: true, force: true});
}
for (const figure of figures) failed ||= !figure.reached;
const [cpu] = os.cpus();
console.log(`Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown'}\n`);
console.log(table(figures));
process.exitCode = failed ? 1 : 0;
