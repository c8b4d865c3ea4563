import {setTimeout as delay} from 'node:timers/promises';
import type {ApiKeyRecord, ConnectorRecord} from '../../domain/records.js';
import {StoreError, type StoreLog, type StoreOptions} from '../store.js';
import {
  forgottenBefore,
  moveToken,
  type Section,
  type TransferRecord,
  type TransferSource,
  type TransferTarget,
} from '../transfer.js';
import {CitusCluster} from './citus/cluster.js';
import {withCoordinator} from './citus/coordinator.js';
import type {Database} from './connection/database.js';
import {describeLocation, type PostgresLocation, parseLocation} from './connection/location.js';
import type {Statement} from './connection/run.js';
import {defaultTimeLimits} from './connection/time-limits.js';
import {readTls} from './connection/tls.js';
import {checkThere, makeDatabase, unfinishedCopy} from './open.js';
import {readPages, readShardedPages} from './pages.js';
import {readToken, type TokenRow} from './rows.js';
import {createCopy, migrate, readInfo, type StoreInfo} from './schema.js';
import {
  countOthers,
  countOthersOnNodes,
  finishCopy,
  insertArrays,
  insertValues,
  readPage,
  toRow,
} from './transfer-statements.js';

/** Application name of the sessions that copy a store. */
const applicationName = 'connectorctl store copy';

/** Milliseconds to wait until other connections are closed, and between two checks. */
const others = {patience: 3000, pause: 50} as const;

/**
 * Opens the store in a database to copy it elsewhere.
 *
 * @throws StoreError when there is no store, or a service is connected to it
 */
export async function openPostgresSource(
  url: string,
  options: StoreOptions,
): Promise<TransferSource> {
  const location = parseLocation(url);
  return withDatabase(location, options, async (database, coordinate) => {
    const name = describeLocation(location);
    const info = await coordinate(async (coordinator) => {
      await checkThere(coordinator, name);
      return migrate(coordinator, options.log);
    });
    if (info.isCopying) throw unfinishedCopy(name, info);
    const cluster = await CitusCluster.find(database);
    const count = cluster === undefined ? countOthers : countOthersOnNodes;
    await waitUntilAlone(database, count, location, options.log);
    return new PostgresSource(database, cluster, info, options.now());
  });
}

/**
 * Creates an empty store in a database as the target of a copy.
 *
 * @throws StoreError when a store exists already, or an earlier copy was interrupted
 */
export async function openPostgresTarget(
  url: string,
  serverSecret: Uint8Array,
  options: StoreOptions,
): Promise<TransferTarget> {
  const location = parseLocation(url);
  return withDatabase(location, options, async (database, coordinate) => {
    const info = await coordinate((coordinator) =>
      createCopy(coordinator, options.log, serverSecret),
    );
    if (info !== undefined) {
      const cluster = await CitusCluster.find(database);
      return new PostgresTarget(database, cluster, info, options.now());
    }
    const name = describeLocation(location);
    const found = await readInfo(database);
    if (found?.isCopying) throw unfinishedCopy(name, found);
    throw new StoreError(
      'format',
      `${name} holds a store already; a copy needs an empty database.`,
    );
  });
}

async function withDatabase<T>(
  location: PostgresLocation,
  {log}: StoreOptions,
  open: (
    database: Database,
    coordinate: <U>(work: (coordinator: Database) => Promise<U>) => Promise<U>,
  ) => Promise<T>,
): Promise<T> {
  const tls = await readTls(location);
  const connect = (to: PostgresLocation) =>
    makeDatabase({...to, applicationName}, tls, defaultTimeLimits, {log});
  const database = connect(location);
  try {
    return await open(database, (work) => withCoordinator(database, location, connect, work));
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Makes sure that no service is connected, because the copy might miss its writes. An idle service may go
 * undetected. PostgreSQL shows a closed connection for a moment longer.
 */
async function waitUntilAlone(
  database: Database,
  count: Statement,
  location: PostgresLocation,
  log: StoreLog,
): Promise<void> {
  const {applicationName: name} = location;
  const deadline = performance.now() + others.patience;
  for (let isLogged = false; ; isLogged = true) {
    const [row] = await database.query<{others: number}>(count, [name]);
    if (row === undefined || row.others === 0) return;
    const place = describeLocation(location);
    if (performance.now() >= deadline) {
      const message = `${place} is in use: ${row.others} connections of "${name}" are open.`;
      throw new StoreError('locked', message);
    }
    if (!isLogged) {
      const details = {database: place, connections: row.others, application: name};
      log.warn(details, 'waiting for connections to close');
    }
    await delay(others.pause);
  }
}

const byId = ({id}: {readonly id: string}): string => id;

class PostgresSource implements TransferSource {
  readonly serverSecret: Uint8Array;
  protected readonly database: Database;
  protected readonly cluster: CitusCluster | undefined;
  readonly #now: number;

  constructor(
    database: Database,
    cluster: CitusCluster | undefined,
    {serverSecret}: StoreInfo,
    now: number,
  ) {
    this.serverSecret = serverSecret;
    this.database = database;
    this.cluster = cluster;
    this.#now = now;
  }

  async *read(section: Section): AsyncGenerator<readonly TransferRecord[]> {
    switch (section) {
      case 'apiKeys':
        for await (const rows of this.#pages<ApiKeyRecord>(section, byId))
          yield rows.map((row) => ({type: 'apiKey', ...row}));
        return;
      case 'connectors':
        for await (const rows of this.#pages<ConnectorRecord>(section, byId))
          yield rows.map((row) => ({type: 'connector', ...row}));
        return;
      case 'tokens':
        for await (const rows of this.#pages<TokenRow>(section, ({hash}) => hash))
          yield rows
            .map(readToken)
            .filter(({expiresAt}) => expiresAt >= forgottenBefore(this.#now))
            .flatMap((token) => moveToken(token, this.#now));
    }
  }

  async *#pages<Row extends object>(
    section: Section,
    keyOf: (row: Row) => string,
  ): AsyncGenerator<readonly Row[]> {
    const readAll = this.cluster === undefined ? readPages : readShardedPages;
    const readRange = (after: string, upTo: string | undefined, limit: number) => {
      const values = upTo === undefined ? [after, limit] : [after, limit, upTo];
      return this.database.query<Row>(readPage(section, upTo !== undefined), values);
    };
    const pages = readAll(readRange, keyOf, '', Number.POSITIVE_INFINITY);
    yield* pages;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

class PostgresTarget extends PostgresSource implements TransferTarget {
  async write(records: readonly TransferRecord[]): Promise<void> {
    const rows = records.map(toRow);
    const [first] = rows;
    if (first === undefined) return;
    const [section, columns] = first;
    if (this.cluster === undefined) {
      const arrays = columns.map((_, index) => rows.map(([, values]) => values[index] ?? null));
      await this.database.query(insertArrays(section), arrays);
    } else {
      const values = rows.flatMap(([, row]) => row);
      await this.database.query(insertValues(section, rows.length), values);
    }
  }

  async commit(): Promise<void> {
    // Each write has been.
  }

  async finish(): Promise<void> {
    await this.database.query(finishCopy);
    await this.close();
  }
}
