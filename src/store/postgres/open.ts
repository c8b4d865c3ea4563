import {setTimeout as delay} from 'node:timers/promises';
import type {ConnectionOptions} from 'node:tls';
import {type Store, StoreError, type StoreOptions} from '../store.js';
import {AcknowledgedState} from './acknowledged.js';
import {CitusCluster} from './citus/cluster.js';
import {checkNode, withCoordinator} from './citus/coordinator.js';
import {ClockSkewMonitor} from './clock-skew-monitor.js';
import {Database} from './connection/database.js';
import {describeLocation, type PostgresLocation, parseLocation} from './connection/location.js';
import {PrimaryPool} from './connection/primary-pool.js';
import type {Run} from './connection/run.js';
import {defaultTimeLimits, type TimeLimits} from './connection/time-limits.js';
import {readTls} from './connection/tls.js';
import {Housekeeping} from './housekeeping.js';
import {type Migration, migrate, migrations, readInfo, type StoreInfo, tables} from './schema.js';
import {statements} from './statements.js';
import {PostgresStore} from './store.js';

/** Replaced by tests. */
export interface PostgresInternals {
  readonly timeLimits?: Partial<TimeLimits>;
  readonly migrations?: readonly Migration[];
}

/** Milliseconds between two attempts to reach a database at start, and between two log messages about it. */
const waiting = {pause: 500, repeat: 30_000} as const;

/**
 * Opens the store in a PostgreSQL database, and creates missing tables unless the options forbid it.
 *
 * @param url see `location.ts`
 * @throws StoreError when it cannot be opened
 */
export async function openPostgresStore(
  url: string,
  options: StoreOptions,
  internals: PostgresInternals = {},
): Promise<Store> {
  const location = parseLocation(url);
  const times = {...defaultTimeLimits, ...internals.timeLimits};
  const {log, now, onRegression} = options;
  const acknowledged = new AcknowledgedState({log, now, onRegression});
  const tls = await readTls(location);
  const database = makeDatabase(location, tls, times, options, acknowledged);
  try {
    const name = describeLocation(location);
    const create = async (coordinator: Database) => {
      if (options.create === false) await checkThere(coordinator, name);
      return migrate(coordinator, log, internals.migrations);
    };
    const findCreated = async () => {
      const found = await readInfo(database);
      return found?.version === (internals.migrations ?? migrations).length ? found : undefined;
    };
    const connect = (other: PostgresLocation) => makeDatabase(other, tls, times, options);
    const info = await withPatience(
      () => withCoordinator(database, location, connect, create, findCreated),
      name,
      options,
    );
    if (info.isCopying) throw unfinishedCopy(name, info);
    const cluster = await CitusCluster.find(database);
    const clock = new ClockSkewMonitor(now, log);
    await clock.check(() => database.query(statements.readClock));
    const housekeeping = new Housekeeping(database, now, log);
    return new PostgresStore({
      database,
      cluster,
      acknowledged,
      housekeeping,
      info,
      clock,
      now,
      bounds: options.bounds,
      checkTimeout: times.check,
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Creates a database without connecting to it yet. */
export function makeDatabase(
  location: PostgresLocation,
  tls: ConnectionOptions,
  times: TimeLimits,
  {log, onCommit}: Pick<StoreOptions, 'log' | 'onCommit'>,
  acknowledged?: AcknowledgedState,
): Database {
  const onServer = async (run: Run, server: string, isBack: boolean) => {
    const isNode = await checkNode(run, server);
    if (acknowledged === undefined || !isBack) return;
    // A comparison needs all nodes of Citus, and the lost one may be why the store is here.
    if (isNode) acknowledged.isSuspect = true;
    else await acknowledged.compare(run);
  };
  const primary = new PrimaryPool({location, tls, times, log, onServer});
  return new Database(primary, location.poolSize, times, onCommit);
}

export function unfinishedCopy(database: string, {version}: StoreInfo): StoreError {
  // Version 0: the other tables were never created; tables with these names belong to another application.
  const own = version === 0 ? tables.slice(0, 1) : tables;
  const message = `The database ${database} holds the unfinished copy of a store (${own.join(', ')}).`;
  return new StoreError('unfinished', message, {leftover: {tables: own}});
}

/** @throws StoreError of kind `missing` */
export async function checkThere(database: Database, name: string): Promise<void> {
  if ((await readInfo(database)) !== undefined) return;
  throw new StoreError('missing', `There is no store in the database ${name}.`);
}

/** While the database is unavailable, retries until the options say to stop. */
async function withPatience<T>(
  work: () => Promise<T>,
  database: string,
  {log, waitUntil}: StoreOptions,
): Promise<T> {
  let logged = '';
  let logAgainAt = 0;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof StoreError && error.kind === 'unavailable';
      if (!mayPass || waitUntil === undefined || waitUntil.aborted) throw error;
      if (error.message !== logged || performance.now() >= logAgainAt) {
        log.warn({database, reason: error.message}, 'waiting for the database');
        logged = error.message;
        logAgainAt = performance.now() + waiting.repeat;
      }
    }
    await delay(waiting.pause, undefined, {signal: waitUntil}).catch(() => {});
  }
}
