/**
 * `npm run bench:enrol`: what it costs to enrol machines and to keep them alive. Needs Linux, three
 * minutes on two quiet cores, and no network. `BENCH_ROUNDS` (default 25) is how often starts are timed,
 * `BENCH_ROWS` (default 5,000) how many machines are enrolled; arguments choose among the names of `parts`.
 */
import {mkdtemp, realpath, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {bulkFigures} from './enrol/bulk.js';
import {wrapperFigures} from './enrol/wrapper.js';
import {type Figure, table} from './figures.js';

/** Each part measures in its own directory, and returns its rows of the table. */
const parts: Readonly<Record<string, (directory: string) => Promise<Figure[]>>> = {
  wrapper: wrapperFigures,
  bulk: bulkFigures,
};

const only = process.argv.slice(2);
const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), 'connectorctl-enrol-')));
try {
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(parts)) {
    if (only.length > 0 && !only.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await measure(directory)));
  }
  const [cpu] = os.cpus();
  console.log(`Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown'}`);
  console.log(`\n${table(figures)}`);
  process.exitCode = figures.every(({reached}) => reached) ? 0 : 1;
} finally {
  await rm(directory, {recursive: true, force: true});
}
