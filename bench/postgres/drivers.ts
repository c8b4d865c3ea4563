import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import pg from 'pg';
import {type Figure, median, perSecond} from '../figures.js';
import {rounds, seconds} from '../store/compare.js';
import {connectorId} from '../store/fleet.js';
import {root} from '../store/servers.js';
import type {Measure} from './measures.js';

/** A driver with the statements of the store, in the form that it takes. */
interface Driver {
  /** Records the heartbeats of some connectors in one statement. */
  beat(ids: readonly string[], at: number): Promise<unknown>;
  /** Reads one connector. */
  get(id: string): Promise<unknown>;
  close(): Promise<unknown>;
}

const fleet = 1_000_000;
const batch = 64;
const readers = 64;
const connections = 10;
const bigint = 20;
const organization = 'default';

const update = (ids: string, organizations: string, times: string): string =>
  `UPDATE connectors AS c SET last_heartbeat_at = GREATEST(c.last_heartbeat_at, b.at)
   FROM unnest(${ids}::text[], ${organizations}::text[], ${times}::bigint[]) AS b (id, o, at)
   WHERE c.id = b.id AND c.organization = b.o RETURNING c.*`;
const select = (id: string, of: string): string =>
  `SELECT * FROM connectors WHERE id = ${id} AND organization = ${of}`;

function usePg(url: string): Driver {
  pg.types.setTypeParser(bigint, Number);
  const pool = new pg.Pool({connectionString: url, max: connections});
  return {
    beat: (ids, at) =>
      pool.query({
        name: 'beat',
        text: update('$1', '$2', '$3'),
        values: [ids, ids.map(() => organization), ids.map(() => at)],
      }),
    get: (id) => pool.query({name: 'get', text: select('$1', '$2'), values: [id, organization]}),
    close: () => pool.end(),
  };
}

/** The part of Postgres.js that is used here. */
type PostgresJs = (
  url: string,
  options: object,
) => {
  unsafe(text: string, values: readonly unknown[], options: object): Promise<unknown>;
  end(): Promise<unknown>;
};

/** Postgres.js, installed on first use; nothing else here needs it. */
function usePostgresJs(url: string): Driver {
  const home = path.join(root, '.bench/postgres');
  const entry = path.join(home, 'node_modules/postgres/package.json');
  if (!existsSync(entry)) {
    const args = ['install', '--prefix', home, '--no-save', 'postgres@3.4.9'];
    if (spawnSync('npm', args, {stdio: 'ignore'}).status !== 0) {
      throw new Error('postgres could not be installed');
    }
  }
  const connect: PostgresJs = createRequire(entry)('postgres');
  const types = {time: {to: bigint, from: [bigint], parse: Number, serialize: String}};
  const sql = connect(url, {max: connections, types});
  const prepared = {prepare: true};
  return {
    beat: (ids, at) =>
      sql.unsafe(
        update('$1', '$2', '$3'),
        [ids, ids.map(() => organization), ids.map(() => at)],
        prepared,
      ),
    get: (id) => sql.unsafe(select('$1', '$2'), [id, organization], prepared),
    close: () => sql.end(),
  };
}

/** Operations per second of a driver, and the processor time of this process for each, in microseconds. */
interface Rate {
  readonly perSecond: number;
  readonly cost: number;
}

async function measure(lanes: number, per: number, work: () => Promise<unknown>): Promise<Rate> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  const before = process.cpuUsage();
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      await work();
      done += per;
    }
  };
  await Promise.all(Array.from({length: lanes}, lane));
  const {user, system} = process.cpuUsage(before);
  return {perSecond: done / ((performance.now() - startedAt) / 1000), cost: (user + system) / done};
}

let turn = 0;
/** The next connector, in an order that jumps across the fleet. */
function nextId(): string {
  turn += 1;
  return connectorId((turn * 7919) % fleet);
}

/** The two drivers side by side, without HTTP. */
export const drivers: Measure = async (databases) => {
  const url = await databases.withFleet(fleet);
  const both = {pg: usePg(url), postgres: usePostgresJs(url)};
  const works = {
    [`heartbeats, ${batch} in a statement, one after the other`]: (driver: Driver) =>
      measure(1, batch, () => driver.beat(Array.from({length: batch}, nextId).sort(), Date.now())),
    [`single reads, ${readers} at a time over ${connections} connections`]: (driver: Driver) =>
      measure(readers, 1, () => driver.get(nextId())),
  };
  const figures: Figure[] = [];
  for (const [what, work] of Object.entries(works)) {
    const pairs: {readonly pg: Rate; readonly postgres: Rate}[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const pair = {pg: await work(both.pg), postgres: await work(both.postgres)};
      if (round > 0) pairs.push(pair);
    }
    const tell = (name: 'pg' | 'postgres'): string =>
      `${perSecond(median(pairs.map((pair) => pair[name].perSecond)))}, ${median(
        pairs.map((pair) => pair[name].cost),
      ).toFixed(1)} µs each`;
    const ratio = median(pairs.map((pair) => pair.pg.cost / pair.postgres.cost));
    figures.push({
      what: `pg: ${what}`,
      measured: tell('pg'),
      against: `postgres: ${tell('postgres')}`,
      ratio: `${ratio.toFixed(2)} of its processor time`,
      target: '',
      reached: true,
    });
  }
  await Promise.all(Object.values(both).map((driver) => driver.close()));
  return figures;
};
