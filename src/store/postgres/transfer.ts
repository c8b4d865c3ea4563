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
import type {Database} from './database.js';
import {describeLocation, type PostgresLocation, parseLocation} from './location.js';
import {checkThere, makeDatabase, unfinishedCopy} from './open.js';
import {createCopy, migrate, readInfo, type StoreInfo} from './schema.js';
import {readToken, type TokenRow} from './statements.js';
import {defaultTimeLimits} from './time-limits.js';
import {countOthers, finishCopy, insertRows, readPage, toRow} from './transfer-statements.js';

/** By which name the copying is known to the database. */
const applicationName = 'connectorctl store copy';

/** Milliseconds for which to wait until other connections are closed, and between two looks at them. */
const others = {patience: 3000, pause: 50} as const;

/**
 * Opens the store in a database to copy it elsewhere.
 *
 * @throws StoreError when there is none, or a service is connected to it
 */
export async function openPostgresSource(
  url: string,
  options: StoreOptions,
): Promise<TransferSource> {
  const location = parseLocation(url);
  return withDatabase(location, options, async (database) => {
    const name = describeLocation(location);
    await checkThere(database, name);
    const info = await migrate(database, options.log);
    if (info.isCopying) throw unfinishedCopy(name, info);
    await waitUntilAlone(database, location, options.log);
    return new PostgresSource(database, info, options.now());
  });
}

/**
 * Makes a store in a database, to be filled.
 *
 * @throws StoreError when there is a store already, or an earlier copy was interrupted
 */
export async function openPostgresTarget(
  url: string,
  serverSecret: Uint8Array,
  options: StoreOptions,
): Promise<TransferTarget> {
  const location = parseLocation(url);
  return withDatabase(location, options, async (database) => {
    const info = await createCopy(database, options.log, serverSecret);
    if (info !== undefined) return new PostgresTarget(database, info, options.now());
    const name = describeLocation(location);
    const found = await readInfo(database);
    if (found?.isCopying) throw unfinishedCopy(name, found);
    throw new StoreError('format', `${name} holds a store already; a copy needs a new place.`);
  });
}

async function withDatabase<T>(
  location: PostgresLocation,
  {log}: StoreOptions,
  open: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await makeDatabase({...location, applicationName}, defaultTimeLimits, {log});
  try {
    return await open(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Makes sure that no service is connected: what it writes while it is read might be missed. One that is
 * idle may not be seen. PostgreSQL shows a connection that was closed for a moment longer.
 */
async function waitUntilAlone(
  database: Database,
  location: PostgresLocation,
  log: StoreLog,
): Promise<void> {
  const {applicationName: name} = location;
  const deadline = performance.now() + others.patience;
  for (let isTold = false; ; isTold = true) {
    const [row] = await database.query<{others: number}>(countOthers, [name]);
    if (row === undefined || row.others === 0) return;
    const place = describeLocation(location);
    if (performance.now() >= deadline) {
      const words = `${place} is in use: ${row.others} connections of "${name}" are open.`;
      throw new StoreError('locked', words);
    }
    if (!isTold) {
      const details = {database: place, connections: row.others, application: name};
      log.warn(details, 'waiting for connections to close');
    }
    await delay(others.pause);
  }
}

class PostgresSource implements TransferSource {
  readonly serverSecret: Uint8Array;
  protected readonly database: Database;
  readonly #now: number;

  constructor(database: Database, {serverSecret}: StoreInfo, now: number) {
    this.serverSecret = serverSecret;
    this.database = database;
    this.#now = now;
  }

  async read(section: Section, after: string, limit: number): Promise<readonly TransferRecord[]> {
    const values = [after, limit];
    switch (section) {
      case 'apiKeys': {
        const rows = await this.database.query<ApiKeyRecord>(readPage.apiKeys, values);
        return rows.map((row) => ({type: 'apiKey', ...row}));
      }
      case 'connectors': {
        const rows = await this.database.query<ConnectorRecord>(readPage.connectors, values);
        return rows.map((row) => ({type: 'connector', ...row}));
      }
      case 'tokens': {
        const cutoff = forgottenBefore(this.#now);
        const rows = await this.database.query<TokenRow>(readPage.tokens, [...values, cutoff]);
        return rows.map((row) => moveToken(readToken(row), this.#now));
      }
    }
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
    const arrays = columns.map((_, index) => rows.map(([, values]) => values[index] ?? null));
    await this.database.query(insertRows[section], arrays);
  }

  async finish(): Promise<void> {
    await this.database.query(finishCopy);
    await this.close();
  }
}
