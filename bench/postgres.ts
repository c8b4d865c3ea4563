/**
 * `npm run bench:postgres`: the figures of the PostgreSQL store, each a ratio within this run, on a private server. Needs
 * about 4 GB of disk and ten minutes on two quiet cores, which server, service and load share. `BENCH_SECONDS` and
 * `BENCH_ROUNDS` are those of `bench:peers`.
 */
import {machine, print} from './figures.js';
import {Databases} from './postgres/databases.js';
import {growth} from './postgres/growth.js';
import {sizes} from './postgres/sizes.js';

await Databases.use(async (databases) => {
  const title = `PostgreSQL ${databases.version}, ${machine()}`;
  print([...(await growth(databases)), ...(await sizes(databases))], title);
});
