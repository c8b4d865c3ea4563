/**
 * `npm run bench:postgres`: the figures of the PostgreSQL store, each a ratio within this run, on a
 * private server. Needs about 4 GB of disk and ten minutes on two quiet cores, which server, service
 * and load share. Arguments choose rows by name: `npm run bench:postgres -- get citus` takes a few minutes.
 * `BENCH_SECONDS` (default 3) is the length of one measurement, `BENCH_ROUNDS` (default 5) the number of rounds
 * of those that alternate.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {type Figure, table} from './figures.js';
import {citus} from './postgres/citus.js';
import {Databases} from './postgres/databases.js';
import {growth, type Measure, paging, reading} from './postgres/measures.js';
import {sizes} from './postgres/sizes.js';

const measures: Readonly<Record<string, Measure>> = {
  growth,
  get: reading,
  page: paging,
  size: sizes,
  citus,
};

const only = process.argv.slice(2);
const names = Object.keys(measures);
const unknown = only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no row is called ${unknown.join(', ')}; there are ${names.join(', ')}\n`,
  );
  process.exit(2);
}
const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));
const databases = await Databases.start(directory);
const figures: Figure[] = [];
try {
  for (const [name, measure] of Object.entries(measures)) {
    if (only.length > 0 && !only.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await measure(databases)));
  }
} finally {
  await databases.stop();
  await rm(directory, {recursive: true, force: true});
}
const [cpu] = os.cpus();
const versions = `Node ${process.version}, PostgreSQL ${databases.version}`;
console.log(`${versions}, ${os.cpus().length} × ${cpu?.model ?? 'unknown'}\n`);
console.log(table(figures));
process.exitCode = figures.every(({reached}) => reached) ? 0 : 1;
