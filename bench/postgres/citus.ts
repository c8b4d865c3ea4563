import {readFileSync} from 'node:fs';
import path from 'node:path';
import {performance} from 'node:perf_hooks';
import {copyStore} from '../../src/store/copy.js';
import {openStore} from '../../src/store/open.js';
import {hashText} from '../../src/store/postgres/hash-text.js';
import type {Store} from '../../src/store/store.js';
import {CitusServers, findCitus} from '../../test/support/citus.js';
import {PostgresCluster} from '../../test/support/postgres-cluster.js';
import {type Figure, median, milliseconds, times} from '../figures.js';
import {rounds} from '../store/compare.js';
import {connectorId, makeFleet} from '../store/fleet.js';
import {quiet, settings} from './databases.js';
import type {Measure} from './measures.js';

const fleet = 100_000;
const organization = 'default';
/** What `citus.shard_count` is by default. */
const shards = 32;

/** A store, and the servers that it is on. */
interface Place {
  readonly store: Store;
  readonly servers: readonly PostgresCluster[];
  /** Groups of connectors, those of one group in one statement. */
  readonly groups: readonly (readonly string[])[];
}

/** A store on Citus, with a coordinator and two workers, next to one on a single server. */
export const citus: Measure = async ({directory}) => {
  const source = findCitus();
  if (!('archive' in source)) {
    const why =
      'missing' in source ? source.missing : 'the servers of CITUS_URL cannot be measured';
    process.stderr.write(`Citus is not measured: ${why}.\n`);
    return [];
  }
  // As for any disk without heads: otherwise small shards are read as a whole.
  const common = {...settings, random_page_cost: '1.1'};
  const single = await PostgresCluster.make(common);
  const cluster = await CitusServers.start(source.archive, common);
  try {
    await single.start();
    const copy = path.join(directory, 'citus-fleet');
    await makeFleet(copy, fleet);
    const ids = Array.from({length: fleet}, (_, index) => connectorId(index));
    const byShard = Array.from({length: shards}, () => [] as string[]);
    for (const id of ids) byShard[(hashText(id) + 2 ** 31) >>> 27]?.push(id);
    const options = {log: quiet, now: Date.now};
    for (const url of [single.url(), cluster.url]) await copyStore(copy, url, options);
    const places = {
      single: {store: await openStore(single.url(), options), servers: [single], groups: [ids]},
      citus: {
        store: await openStore(cluster.url, options),
        servers: [cluster.coordinator, ...cluster.workers],
        groups: byShard,
      },
    };
    for (const server of [single, cluster.coordinator]) await server.query('VACUUM ANALYZE');
    const figures = [
      await heartbeats(places, 500, 1.5),
      await heartbeats(places, 60, 3),
      ...(await lists(places)),
    ];
    await Promise.all(Object.values(places).map(({store}) => store.close()));
    return figures;
  } finally {
    await Promise.all([single.remove(), cluster.remove()]);
  }
};

interface Places {
  readonly single: Place;
  readonly citus: Place;
}

/** Measures both alternately; the first round warms up. @returns the medians */
async function compareInTurn(
  {single, citus}: Places,
  measure: (place: Place) => Promise<number>,
): Promise<Record<keyof Places, number>> {
  const found: Record<keyof Places, number>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = {single: await measure(single), citus: await measure(citus)};
    if (round > 0) found.push(pair);
  }
  return {
    single: median(found.map((pair) => pair.single)),
    citus: median(found.map((pair) => pair.citus)),
  };
}

/** CPU time in nanoseconds of each session of a server (Linux, `/proc/PID/schedstat`). */
async function readSessions(server: PostgresCluster): Promise<Map<number, number>> {
  const rows = await server.query<{pid: number}>(
    `SELECT pid FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return new Map(
    rows.map(({pid}) => [
      pid,
      Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]),
    ]),
  );
}

/** CPU time in microseconds of all sessions of some servers, from a call of this to that of its result. */
async function countCpuTime(servers: readonly PostgresCluster[]): Promise<() => Promise<number>> {
  const read = () => Promise.all(servers.map(readSessions));
  const before = await read();
  return async () =>
    (await read())
      .flatMap((sessions, index) =>
        [...sessions].map(([pid, time]) => time - (before[index]?.get(pid) ?? 0)),
      )
      .reduce((sum, time) => sum + time / 1000, 0);
}

/** CPU time in microseconds of a heartbeat, summed over all servers. */
async function heartbeats(places: Places, perStatement: number, most: number): Promise<Figure> {
  let turn = 0;
  const cost = await compareInTurn(places, async ({store, servers, groups}) => {
    const cpuTime = await countCpuTime(servers);
    let done = 0;
    for (let pass = 0; pass < shards / groups.length; pass += 1) {
      turn += 1;
      const at = Date.now() + turn;
      // One statement at a time, on both.
      for (const group of groups) {
        const beats = Array.from({length: perStatement}, (_, index) => {
          const id = group[(turn * 7919 + index * 101) % group.length] ?? '';
          return store.recordHeartbeat(id, at, {organization});
        });
        await Promise.all(beats);
        done += perStatement;
      }
    }
    return (await cpuTime()) / done;
  });
  const ratio = cost.citus / cost.single;
  return {
    what: `Citus: CPU time of a heartbeat, ${perStatement} in a statement, summed over the nodes`,
    measured: `${cost.citus.toFixed(1)} µs`,
    against: `one server: ${cost.single.toFixed(1)} µs`,
    ratio: times(ratio),
    target: `at most ${most} ×`,
    reached: ratio <= most,
  };
}

async function lists(places: Places): Promise<Figure[]> {
  const first: number[] = [];
  const both = await compareInTurn(places, async ({store}) => {
    const startedAt = performance.now();
    let [count, firstAt] = [0, 0];
    for await (const batch of store.listConnectors(organization)) {
      if (count === 0) firstAt = performance.now() - startedAt;
      count += batch.length;
    }
    if (count !== fleet) throw new Error(`the list has ${count} connectors`);
    if (store === places.citus.store) first.push(firstAt);
    return performance.now() - startedAt;
  });
  const ratio = both.citus / both.single;
  const firstAt = median(first);
  return [
    {
      what: 'Citus: the list of 100,000 connectors',
      measured: milliseconds(both.citus),
      against: `one server: ${milliseconds(both.single)}`,
      ratio: times(ratio),
      target: 'at most 3 ×',
      reached: ratio <= 3,
    },
    {
      what: 'Citus: the first connectors of that list',
      measured: milliseconds(firstAt),
      against: '',
      ratio: '',
      target: 'at most 200 ms',
      reached: firstAt <= 200,
    },
  ];
}
