/**
 * `npm run bench:peers`: durable heartbeats over HTTP beside what others would pick for them, in one run: rate, and CPU
 * time of the server for each request. Within ten minutes it prints a table, and the line that the README quotes. With
 * `--all` also the PostgreSQL store against bare Fastify, the memory of `connector run`, and what `bench:store`,
 * `bench:list` and `bench:startup` print. What is not installed is left out with a notice. A number as argument is the
 * size of the fleet. `BENCH_SECONDS` (default 3) is the length of a measurement, `BENCH_ROUNDS` (default 5) the number
 * of pairs.
 */
import {spawnSync} from 'node:child_process';
import path from 'node:path';
import {type Figure, machine, print} from './figures.js';
import {heartbeats, makeFleet} from './fleet.js';
import {compare} from './load.js';
import {databaseRows, residentRow, row} from './peers/rows.js';
import {missingOf, type Peer, peers} from './peers/servers.js';
import {Databases} from './postgres/databases.js';
import {startServe, using} from './servers.js';

const words = process.argv.slice(2);
const isAll = words.includes('--all');
const fleet = Number(words.find((word) => word !== '--all') ?? 1000);

/** Heartbeats with `serve` and with a peer, in turn. */
async function against(peer: Peer, databases: Databases): Promise<Figure[]> {
  const {name, sync, targets} = peer;
  const {directory} = databases;
  const missing = missingOf(peer);
  if (missing !== undefined) {
    console.log(`Left out: ${name}. Not installed: ${missing}.`);
    return [];
  }
  console.log(`${name}: ${peer.version()}; ${sync}`);
  const requests = heartbeats(fleet);
  return using([startServe(path.join(directory, 'store'))], async ([serve]) => {
    const own = path.join(directory, name);
    const started = await peer.start({directory: own, serve, requests, fleet, databases});
    return using([Promise.resolve(started.server)], async ([server]) => {
      const figures: Figure[] = [];
      for (const connections of [64, 256]) {
        const one = {server: serve, requests, connections};
        const by = await compare(one, {...one, ...started, server});
        figures.push(row(`heartbeats, ${connections} connections`, name, by, ...targets));
      }
      return figures;
    });
  });
}

await Databases.use(async (databases) => {
  console.log(`PostgreSQL ${databases.version}, ${machine()}`);
  await makeFleet(path.join(databases.directory, 'store'), fleet);
  const figures: Figure[] = [];
  for (const peer of peers) figures.push(...(await against(peer, databases)));
  const short = figures.filter(({what}) => what.includes(' 64 '));
  const ratios = short.map(({against: other = '', ratio}) => `${ratio} of ${other.split(': ')[0]}`);
  if (isAll) figures.push(...(await databaseRows(databases)), await residentRow());
  print(figures);
  console.log(`\nDurable heartbeats, 64 connections: ${ratios.join(', ')}. ${machine()}.`);
  for (const bench of isAll ? ['store', 'list', 'startup'] : []) {
    const {status} = spawnSync('npm', ['run', '--silent', `bench:${bench}`], {stdio: 'inherit'});
    if (status !== 0) process.exitCode = 1;
  }
});
