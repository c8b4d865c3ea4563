/**
 * `npm run bench:postgres`: the figures of the PostgreSQL store, each a ratio within this run, on a private server. Needs
 * about 4 GB of disk and ten minutes on two quiet cores, which server, service and load share. `BENCH_SECONDS` and
 * `BENCH_ROUNDS` are those of `bench:peers`.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {machine, print} from './figures.js';
import {Databases} from './postgres/databases.js';
import {growth} from './postgres/growth.js';
import {sizes} from './postgres/sizes.js';

const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));
const databases = await Databases.start(directory);
const title = `PostgreSQL ${databases.version}, ${machine()}`;
try {
  print([...(await growth(databases)), ...(await sizes(databases))], title);
} finally {
  await databases.stop();
  await rm(directory, {recursive: true, force: true});
}
