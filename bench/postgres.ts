/**
 * `npm run bench:postgres`: the figures of the PostgreSQL store, each a ratio within this run, on a
 * private server. Needs about 4 GB of disk and ten minutes on two quiet cores, which server, service
 * and load share. Arguments choose rows by name: `npm run bench:postgres -- get citus` takes a few minutes,
 * `npm run bench:postgres -- citus-list` measures one row of Citus. `BENCH_SECONDS` (default 3) is the length
 * of one measurement, `BENCH_ROUNDS` (default 5) how often those that alternate are repeated.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {type Figure, perSecond, table} from './figures.js';
import {citus, citusRows} from './postgres/citus.js';
import {Databases} from './postgres/databases.js';
import {drivers} from './postgres/drivers.js';
import {gathering, growth, type Measure, paging, reading} from './postgres/measures.js';
import {sizes} from './postgres/sizes.js';

const measures: Readonly<Record<string, Measure>> = {
  gathering,
  growth,
  get: reading,
  page: paging,
  size: sizes,
  drivers,
  citus: (databases) => citus(databases),
};

const only = process.argv.slice(2);
const names = [...Object.keys(measures), ...citusRows];
const unknown = only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no row is called ${unknown.join(', ')}; there are ${names.join(', ')}\n`,
  );
  process.exit(2);
}
const citusChosen = only.filter((name) => citusRows.includes(name));
const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));
const databases = await Databases.start(directory);
const figures: Figure[] = [];
try {
  for (const [name, measure] of Object.entries(measures)) {
    if (only.length > 0 && !only.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await measure(databases)));
  }
  if (citusChosen.length > 0 && !only.includes('citus')) {
    process.stderr.write(`${citusChosen.join(', ')} …\n`);
    figures.push(...(await citus(databases, citusChosen)));
  }
} finally {
  await databases.stop();
  await rm(directory, {recursive: true, force: true});
}
const [cpu] = os.cpus();
const versions = `Node ${process.version}, PostgreSQL ${databases.version}`;
console.log(`${versions}, ${os.cpus().length} × ${cpu?.model ?? 'unknown'}\n`);
console.log(table(figures));
if (!Number.isNaN(databases.copyRate)) {
  console.log(`\nstore copy of the last fleet: ${perSecond(databases.copyRate)} connectors`);
}
process.exitCode = figures.every(({reached}) => reached) ? 0 : 1;
