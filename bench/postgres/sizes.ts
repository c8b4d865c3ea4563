import {openStore} from '../../src/store/open.js';
import type {Store} from '../../src/store/store.js';
import {type Figure, milliseconds, perSecond} from '../figures.js';
import {connectorId, log} from '../fleet.js';
import type {Databases} from './databases.js';

const fleet = 1_000_000;
/** Heartbeats that wait at the same time, so that a statement carries about as many. */
const atOnce = 500;

/** A pass over the fleet, with one heartbeat of each connector, in an order that jumps across it. */
interface Pass {
  /** Bytes that the server wrote to its log for each heartbeat. */
  readonly log: number;
  readonly perSecond: number;
}

/** Bytes that a connector and a heartbeat cost the server; they do not depend on the speed of a machine. */
export async function sizes(databases: Databases): Promise<readonly Figure[]> {
  const url = await databases.withFleet(fleet);
  const before = await measureTable(databases);
  const store = await openStore(url, {log, now: Date.now});
  // The first change of a page after a checkpoint logs the whole page.
  await databases.cluster.query('CHECKPOINT');
  const first = await beatAll(store, databases, 1);
  const second = await beatAll(store, databases, 2);
  const startedAt = performance.now();
  await store.measure({onlineSince: 0, staleSince: 0});
  const counting = performance.now() - startedAt;
  await store.close();
  const after = await measureTable(databases);
  return [
    {
      what: 'table and indexes of a connector',
      measured: `${before.table} + ${before.indexes} bytes`,
      against: `after two heartbeats of each: ${after.table} + ${after.indexes} bytes`,
    },
    {
      what: `WAL of a heartbeat, about ${atOnce} in a statement`,
      measured: `${Math.round(second.log)} bytes`,
      against: `the first of each page after a checkpoint: ${Math.round(first.log)} bytes`,
    },
    {
      what: 'heartbeats without HTTP, one process',
      measured: perSecond(second.perSecond),
      against: `after a checkpoint: ${perSecond(first.perSecond)}`,
    },
    {what: 'counting them all, for /metrics', measured: milliseconds(counting)},
  ];
}

async function measureTable({cluster}: Databases): Promise<{table: number; indexes: number}> {
  const [row] = await cluster.query<{table: number; indexes: number}>(
    `SELECT (pg_table_size('connectors') / ${fleet})::int AS table,
       (pg_indexes_size('connectors') / ${fleet})::int AS indexes`,
    `fleet_${fleet}`,
  );
  return row ?? {table: Number.NaN, indexes: Number.NaN};
}

async function beatAll(store: Store, {cluster}: Databases, round: number): Promise<Pass> {
  const position = async (): Promise<number> => {
    const [row] = await cluster.query<{bytes: string}>(
      "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes",
    );
    return Number(row?.bytes);
  };
  const startedAt = performance.now();
  const start = await position();
  const at = Date.now() + round;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < fleet) {
      next += 1;
      await store.recordHeartbeat(connectorId((next * 7919) % fleet), at, {
        organization: 'default',
      });
    }
  };
  await Promise.all(Array.from({length: atOnce}, lane));
  return {
    log: ((await position()) - start) / fleet,
    perSecond: fleet / ((performance.now() - startedAt) / 1000),
  };
}
