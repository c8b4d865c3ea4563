import {readFileSync} from 'node:fs';
import path from 'node:path';
import {performance} from 'node:perf_hooks';
import {copyStore} from '../../src/store/copy.js';
import {openStore} from '../../src/store/open.js';
import {hashText} from '../../src/store/postgres/hash-text.js';
import type {Store} from '../../src/store/store.js';
import {CitusServers, findCitus} from '../../test/support/citus.js';
import {PostgresCluster} from '../../test/support/postgres-cluster.js';
import {sampleAttempt, sampleToken} from '../../test/support/store/samples.js';
import {type Figure, median, milliseconds, perSecond, times} from '../figures.js';
import {rounds} from '../store/compare.js';
import {connectorId, makeFleet} from '../store/fleet.js';
import {type Databases, quiet, settings} from './databases.js';

const fleet = 100_000;
const organization = 'default';
/** What `citus.shard_count` is by default. */
const shards = 32;
const redemptions = {count: 3000, atOnce: 100} as const;

/** A store, and the servers that it is on. */
interface Place {
  readonly store: Store;
  readonly servers: readonly PostgresCluster[];
  /** Groups of connectors, those of one group in one statement. */
  readonly groups: readonly (readonly string[])[];
}

/** The rows of `citus`, which can be chosen by name: `citus-list`. */
const rows = {
  'citus-heartbeats': async (places: Places) => [
    ...(await heartbeats(places, 500, 1.5)),
    ...(await heartbeats(places, 60, 3)),
  ],
  'citus-list': ({single, citus}: Places) => lists({single, citus}),
  'citus-redemptions': async ({single, citus}: Places) => [await redeeming({single, citus})],
} as const;

export const citusRows: readonly string[] = Object.keys(rows);

/**
 * A store on Citus, with a coordinator and two workers, next to one on a single server.
 *
 * @param chosen the rows to measure; default: all
 */
export const citus = async (
  {directory}: Databases,
  chosen: readonly string[] = citusRows,
): Promise<Figure[]> => {
  const source = findCitus();
  if (!('archive' in source)) {
    const why =
      'missing' in source ? source.missing : 'the servers of CITUS_URL cannot be measured';
    process.stderr.write(`Citus is not measured: ${why}.\n`);
    return [];
  }
  const statistics = {shared_preload_libraries: "'pg_stat_statements'"};
  // As for any disk without heads: otherwise small shards are read as a whole.
  const common = {...settings, random_page_cost: '1.1'};
  const single = await PostgresCluster.make({...common, ...statistics});
  const cluster = await CitusServers.start(source.archive, common);
  try {
    await single.start();
    const copy = path.join(directory, 'citus-fleet');
    await makeFleet(copy, fleet);
    const ids = Array.from({length: fleet}, (_, index) => connectorId(index));
    const byShard = Array.from({length: shards}, () => [] as string[]);
    for (const id of ids) byShard[(hashText(id) + 2 ** 31) >>> 27]?.push(id);
    // Citus creates an extension on the workers, too.
    for (const server of [single, cluster.coordinator]) {
      await server.query('CREATE EXTENSION pg_stat_statements');
    }
    const options = {log: quiet, now: Date.now};
    for (const url of [single.url(), cluster.url]) await copyStore(copy, url, options);
    const nodes = {servers: [cluster.coordinator, ...cluster.workers], groups: byShard};
    const places = {
      single: {store: await openStore(single.url(), options), servers: [single], groups: [ids]},
      citus: {store: await openStore(cluster.url, options), ...nodes},
      direct: {store: await openStore(`${cluster.url}?citus_workers=direct`, options), ...nodes},
    };
    for (const server of [single, cluster.coordinator]) await server.query('VACUUM ANALYZE');
    const figures: Figure[] = [];
    for (const [name, measure] of Object.entries(rows)) {
      if (!chosen.includes(name)) continue;
      const measured = await measure(places);
      // On a busy machine all rows take long, so each is printed as soon as it is measured.
      for (const {what, measured: value, ratio} of measured) {
        process.stderr.write(`${what}: ${value} ${ratio}\n`);
      }
      figures.push(...measured);
    }
    await Promise.all(Object.values(places).map(({store}) => store.close()));
    return figures;
  } finally {
    await Promise.all([single.remove(), cluster.remove()]);
  }
};

interface Places {
  readonly single: Place;
  /** Through the coordinator. */
  readonly citus: Place;
  /** The same cluster with direct connections to its workers. */
  readonly direct: Place;
}

type Pair = Pick<Places, 'single' | 'citus'>;

/** Measures all alternately; the first round warms up. */
async function compareInTurn<Name extends keyof Places>(
  places: Readonly<Record<Name, Place>>,
  measure: (place: Place) => Promise<number>,
): Promise<Record<Name, number>> {
  const names = Object.keys(places) as Name[];
  const found: Record<Name, number>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const times = {} as Record<Name, number>;
    for (const name of names) times[name] = await measure(places[name]);
    if (round > 0) found.push(times);
  }
  const medians = names.map((name) => [name, median(found.map((times) => times[name]))]);
  return Object.fromEntries(medians);
}

/** Nanoseconds of processor time that each session of a server has used (Linux, `/proc/PID/schedstat`). */
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

/** Processor time of all sessions of some servers, in microseconds, from a call of this to that of its result. */
async function countProcessorTime(
  servers: readonly PostgresCluster[],
): Promise<() => Promise<number>> {
  const read = () => Promise.all(servers.map(readSessions));
  const before = await read();
  return async () =>
    (await read())
      .flatMap((sessions, index) =>
        [...sessions].map(([pid, time]) => time - (before[index]?.get(pid) ?? 0)),
      )
      .reduce((sum, time) => sum + time / 1000, 0);
}

/**
 * Microseconds of all servers for a heartbeat: time that statements take, in which what the coordinator waits
 * for a worker counts twice, and processor time, in which waiting does not count.
 */
async function heartbeats(places: Places, perStatement: number, most: number): Promise<Figure[]> {
  let turn = 0;
  const processor = new Map<Place, number[]>(Object.values(places).map((place) => [place, []]));
  const serverTime = await compareInTurn(places, async (place) => {
    const {store, servers, groups} = place;
    for (const server of servers) await server.query('SELECT pg_stat_statements_reset()');
    const processorTime = await countProcessorTime(servers);
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
    processor.get(place)?.push((await processorTime()) / done);
    const spent = servers.map(async (server) => {
      const [row] = await server.query<{time: number}>(
        `SELECT coalesce(sum(total_exec_time), 0)::float8 AS time FROM pg_stat_statements
         WHERE query LIKE 'UPDATE%last_heartbeat_at%'`,
      );
      return row?.time ?? 0;
    });
    return ((await Promise.all(spent)).reduce((sum, time) => sum + time, 0) * 1000) / done;
  });
  // The first round warms up.
  const processorTime = (place: Place) => median(processor.get(place)?.slice(1) ?? []);
  const figure = (what: string, measured: number, single: number): Figure => ({
    what: `${what} of a heartbeat, ${perStatement} in a statement, summed over the nodes`,
    measured: `${measured.toFixed(1)} µs`,
    against: `one server: ${single.toFixed(1)} µs`,
    ratio: times(measured / single),
    target: `at most ${most} ×`,
    reached: measured / single <= most,
  });
  const {single, citus, direct} = serverTime;
  const alone = processorTime(places.single);
  return [
    figure('Citus: server time', citus, single),
    figure('Citus: processor time', processorTime(places.citus), alone),
    figure('Citus, direct: server time', direct, single),
    figure('Citus, direct: processor time', processorTime(places.direct), alone),
  ];
}

async function lists(places: Pair): Promise<Figure[]> {
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

/** Redemptions per second, without HTTP. */
async function redeeming(places: Pair): Promise<Figure> {
  const both = await compareInTurn(places, async ({store}) => {
    const tokens = Array.from({length: redemptions.count}, () => sampleToken());
    for (let from = 0; from < tokens.length; from += 500) {
      await Promise.all(tokens.slice(from, from + 500).map((token) => store.createToken(token)));
    }
    const startedAt = performance.now();
    let next = 0;
    const client = async (): Promise<void> => {
      for (;;) {
        const token = tokens[next];
        next += 1;
        if (token === undefined) return;
        const {outcome} = await store.redeemToken(sampleAttempt(token));
        if (outcome !== 'redeemed') throw new Error(`the token is ${outcome}`);
      }
    };
    await Promise.all(Array.from({length: redemptions.atOnce}, client));
    return redemptions.count / ((performance.now() - startedAt) / 1000);
  });
  const ratio = both.citus / both.single;
  return {
    what: `Citus: redemptions, ${redemptions.atOnce} at a time`,
    measured: perSecond(both.citus),
    against: `one server: ${perSecond(both.single)}`,
    ratio: times(ratio),
    target: 'at least 0.5 ×',
    reached: ratio >= 0.5,
  };
}
