import {readFileSync} from 'node:fs';
import path from 'node:path';
import {performance} from 'node:perf_hooks';
import {copyStore} from '../../src/store/copy.js';
import {openStore} from '../../src/store/open.js';
import {hashText} from '../../src/store/postgres/citus/hash-text.js';
import type {Store} from '../../src/store/store.js';
import {CitusServers, findCitus} from '../../test/support/citus.js';
import {PostgresCluster} from '../../test/support/postgres-cluster.js';
import {sampleAttempt, sampleToken} from '../../test/support/store/samples.js';
import {type Figure, median, milliseconds, times} from '../figures.js';
import {rounds} from '../store/compare.js';
import {connectorId, makeFleet} from '../store/fleet.js';
import {quiet, settings} from './databases.js';
import type {Measure} from './measures.js';

const fleet = 100_000;
const organization = 'default';
/** What `citus.shard_count` is by default. */
const shards = 32;

/** The same store, opened once or at several nodes, and the servers that it is on. */
interface Place {
  readonly stores: readonly [Store, ...Store[]];
  readonly servers: readonly PostgresCluster[];
  /** Groups of connectors, those of one group in one statement. */
  readonly groups: readonly (readonly string[])[];
}

/** A store on Citus with three workers, at the coordinator and at any worker, next to one on a single server. */
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
  const cluster = await CitusServers.start(source.archive, common, 3);
  try {
    await single.start();
    const copy = path.join(directory, 'citus-fleet');
    await makeFleet(copy, fleet);
    const ids = Array.from({length: fleet}, (_, index) => connectorId(index));
    const byShard = Array.from({length: shards}, () => [] as string[]);
    for (const id of ids) byShard[(hashText(id) + 2 ** 31) >>> 27]?.push(id);
    const options = {log: quiet, now: Date.now};
    for (const url of [single.url(), cluster.url]) await copyStore(copy, url, options);
    const servers = [cluster.coordinator, ...cluster.workers];
    const [first, ...others] = cluster.workers.map((worker) => openStore(worker.url(), options));
    const places: Places = {
      single: {stores: [await openStore(single.url(), options)], servers: [single], groups: [ids]},
      coordinator: {stores: [await openStore(cluster.url, options)], servers, groups: byShard},
      any: {
        stores: [await (first ?? openStore(cluster.url, options)), ...(await Promise.all(others))],
        servers,
        groups: byShard,
      },
    };
    for (const server of [single, cluster.coordinator]) await server.query('VACUUM ANALYZE');
    const figures = [
      ...(await heartbeats(places, 500)),
      ...(await heartbeats(places, 60)),
      ...(await redemptions(places)),
      ...(await lists(places)),
    ];
    const stores = Object.values(places).flatMap((place: Place) => place.stores);
    await Promise.all(stores.map((store) => store.close()));
    return figures;
  } finally {
    await Promise.all([single.remove(), cluster.remove()]);
  }
};

type Places = Readonly<Record<'single' | 'coordinator' | 'any', Place>>;

/** Measures all in turn; the first round warms up. @returns the figures of the medians */
async function compareInTurn(
  what: string,
  places: Places,
  format: (value: number) => string,
  measure: (place: Place) => Promise<number>,
): Promise<Figure[]> {
  const found = {single: [], coordinator: [], any: []} as Record<keyof Places, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of ['single', 'coordinator', 'any'] as const) {
      const value = await measure(places[name]);
      if (round > 0) found[name].push(value);
    }
  }
  const single = median(found.single);
  return (['coordinator', 'any'] as const).map((name) => ({
    what: `Citus, at ${name === 'any' ? 'any of three workers' : 'the coordinator'}: ${what}`,
    measured: format(median(found[name])),
    against: `one server: ${format(single)}`,
    ratio: times(median(found[name]) / single),
    target: '',
    reached: true,
  }));
}

const microseconds = (value: number): string => `${value.toFixed(1)} µs`;

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
async function heartbeats(places: Places, perStatement: number): Promise<Figure[]> {
  let turn = 0;
  const what = `CPU time of a heartbeat, ${perStatement} in a statement, summed over the nodes`;
  return compareInTurn(what, places, microseconds, async ({stores, servers, groups}) => {
    const cpuTime = await countCpuTime(servers);
    let done = 0;
    for (let pass = 0; pass < shards / groups.length; pass += 1) {
      turn += 1;
      const at = Date.now() + turn;
      // One statement at a time, on all.
      for (const [number, group] of groups.entries()) {
        const store = stores[number % stores.length] ?? stores[0];
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
}

/** CPU time in microseconds of a redemption, 60 at the same time, summed over all servers. */
async function redemptions(places: Places): Promise<Figure[]> {
  const what = 'CPU time of a redemption, 60 at the same time, summed over the nodes';
  return compareInTurn(what, places, microseconds, async ({stores, servers}) => {
    const tokens = Array.from({length: 600}, () => sampleToken({organization: 'other'}));
    await Promise.all(tokens.map((token) => stores[0].createToken(token)));
    const cpuTime = await countCpuTime(servers);
    for (let from = 0; from < tokens.length; from += 60) {
      const store = stores[(from / 60) % stores.length] ?? stores[0];
      const some = tokens.slice(from, from + 60);
      await Promise.all(some.map((token) => store.redeemToken(sampleAttempt(token))));
    }
    return (await cpuTime()) / tokens.length;
  });
}

/** Milliseconds for the whole list, without HTTP. */
async function lists(places: Places): Promise<Figure[]> {
  return compareInTurn('the list of 100,000 connectors', places, milliseconds, async ({stores}) => {
    const startedAt = performance.now();
    let count = 0;
    for await (const batch of stores[0].listConnectors(organization)) count += batch.length;
    if (count !== fleet) throw new Error(`the list has ${count} connectors`);
    return performance.now() - startedAt;
  });
}
