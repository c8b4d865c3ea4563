import {setTimeout as delay} from 'node:timers/promises';
import type {TokenRecord} from '../../domain/records.js';
import {StoreError, type StoreLog, type StoreOptions} from '../store.js';
import {
  forgottenBefore,
  moveToken,
  type Section,
  type TransferRecord,
  type TransferSource,
  type TransferTarget,
} from '../transfer.js';
import {Database, defaultTimeLimits, type OpenTransaction, type Run} from './database.js';
import {describeLocation, type PostgresLocation, parseLocation, readTls} from './location.js';
import {findSchema} from './open.js';
import {
  apiKeys,
  connectors,
  type Table,
  type TokenRow,
  tokens,
  toToken,
  toTokenRow,
} from './rows.js';
import {checkEncoding, createSchema, readInfo} from './schema.js';

/** Application name of the sessions that copy a store. */
const applicationName = 'connectorctl store copy';

/** Milliseconds to wait until other connections are closed, and between two checks. */
const others = {patience: 3000, pause: 50} as const;

/**
 * Opens the store in a database to copy it elsewhere.
 *
 * @throws StoreError when there is no store, or a service is connected to it
 */
export function openPostgresSource(url: string, options: StoreOptions): Promise<TransferSource> {
  const location = parseLocation(url);
  return withDatabase(location, options, async (database) => {
    const {serverSecret} = await findSchema(database, describeLocation(location));
    await waitUntilAlone(database, location, options.log);
    return {
      serverSecret,
      read: (section) =>
        readSection((...query) => database.query(...query), section, options.now()),
      close: () => database.close(),
    };
  });
}

/**
 * Creates an empty store in a database as the target of a copy, in one transaction with all that is copied: a copy that
 * does not finish leaves nothing.
 *
 * @throws StoreError when a store exists already
 */
export function openPostgresTarget(
  url: string,
  serverSecret: Uint8Array,
  options: StoreOptions,
): Promise<TransferTarget> {
  const location = parseLocation(url);
  return withDatabase(location, options, async (database) => {
    if ((await readInfo(database)) !== undefined) throw notEmpty(location);
    const transaction = await database.begin();
    await checkEncoding(transaction.run);
    await createSchema(transaction.run, serverSecret).catch(async (error: unknown) => {
      transaction.rollback();
      // Another copy may have created them meanwhile.
      throw (await readInfo(database)) === undefined ? error : notEmpty(location);
    });
    return new PostgresTarget(database, transaction, options.now());
  });
}

class PostgresTarget implements TransferTarget {
  readonly #database: Database;
  readonly #transaction: OpenTransaction;
  readonly #now: number;

  constructor(database: Database, transaction: OpenTransaction, now: number) {
    this.#database = database;
    this.#transaction = transaction;
    this.#now = now;
  }

  async write(records: readonly TransferRecord[]): Promise<void> {
    const {run} = this.#transaction;
    const keys = records.filter((record) => record.type === 'apiKey');
    if (keys.length > 0) await run(apiKeys.insertAll, apiKeys.arrays(keys));
    const made = records.filter((record) => record.type === 'connector');
    if (made.length > 0) await run(connectors.insertAll, connectors.arrays(made));
    const rows = records.flatMap((record) => {
      if (record.type === 'token') return [toTokenRow(record)];
      return record.type === 'closedToken' ? [toTokenRow(openClosed(record))] : [];
    });
    if (rows.length > 0) await run(tokens.insertAll, tokens.arrays(rows));
  }

  async commit(): Promise<void> {
    // Nothing is visible before `finish`.
  }

  read(section: Section): AsyncIterable<readonly TransferRecord[]> {
    return readSection(this.#transaction.run, section, this.#now);
  }

  async finish(): Promise<void> {
    await this.#transaction.commit();
    await this.#database.close();
  }

  async close(): Promise<void> {
    this.#transaction.rollback();
    await this.#database.close();
  }
}

/** Just enough of a closed token to refuse it: a redemption that cannot be repeated. */
function openClosed({
  hash,
  expiresAt,
}: Extract<TransferRecord, {readonly type: 'closedToken'}>): TokenRecord {
  const redemption = {at: expiresAt, attemptId: '', idempotencyHash: null};
  const unknown = {organization: '', description: null, reissues: null};
  return {hash, ...unknown, createdAt: expiresAt, expiresAt, redemption};
}

async function withDatabase<T>(
  location: PostgresLocation,
  {log}: StoreOptions,
  open: (database: Database) => Promise<T>,
): Promise<T> {
  const tls = await readTls(location);
  const database = new Database(
    {...location, applicationName},
    {tls, times: defaultTimeLimits, log},
  );
  try {
    return await open(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function notEmpty(location: PostgresLocation): StoreError {
  const name = describeLocation(location);
  return new StoreError('format', `${name} holds a store already; a copy needs an empty database.`);
}

/**
 * Makes sure that no service is connected, because the copy might miss its writes. An idle service may go
 * undetected. PostgreSQL shows a closed connection for a moment longer.
 */
async function waitUntilAlone(
  database: Database,
  location: PostgresLocation,
  log: StoreLog,
): Promise<void> {
  const {applicationName: name} = location;
  const deadline = performance.now() + others.patience;
  for (let isLogged = false; ; isLogged = true) {
    const text = `SELECT count(*) AS others FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = $1`;
    const [row] = await database.query<{others: number}>({name: 'countOthers', text}, [name]);
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

async function* readSection(
  run: Run,
  section: Section,
  now: number,
): AsyncGenerator<readonly TransferRecord[]> {
  switch (section) {
    case 'apiKeys':
      for await (const rows of readPages(run, apiKeys, ({id}) => id))
        yield rows.map((row) => ({type: 'apiKey', ...row}));
      return;
    case 'connectors':
      for await (const rows of readPages(run, connectors, ({id}) => id))
        yield rows.map((row) => ({type: 'connector', ...row}));
      return;
    case 'tokens':
      for await (const rows of readPages<TokenRow>(run, tokens, ({hash}) => hash))
        yield rows
          .filter(({expiresAt}) => expiresAt >= forgottenBefore(now))
          .flatMap((row) => moveToken(toToken(row), now));
  }
}

async function* readPages<Row extends object>(
  run: Run,
  {readPage}: Table<Row>,
  keyOf: (row: Row) => string,
): AsyncGenerator<readonly Row[]> {
  for (let last = ''; ; ) {
    const rows = await run<Row>(readPage, [last]);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    last = keyOf(end);
  }
}
