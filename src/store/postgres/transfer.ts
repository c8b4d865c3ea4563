import {setTimeout as delay} from 'node:timers/promises';
import {boundId} from '../../domain/activation.js';
import {StoreError, type StoreLog, type StoreOptions} from '../store.js';
import {
  closeToken,
  forgottenBefore,
  moveToken,
  type Section,
  type TransferRecord,
  type TransferSource,
  type TransferTarget,
} from '../transfer.js';
import {Database, defaultTimeLimits, type Run} from './database.js';
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
import {createSchema, readInfo} from './schema.js';
import {statements} from './statements.js';

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
    const run: Run = (...query) => database.query(...query);
    return {
      serverSecret,
      read: (section) => readSection(run, section, options.now()),
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
  const name = describeLocation(location);
  return withDatabase(location, options, async (database) => {
    const refuseExisting = async (): Promise<void> => {
      if ((await readInfo(database)) === undefined) return;
      throw new StoreError(
        'format',
        `${name} holds a store already; a copy needs an empty database.`,
      );
    };
    await refuseExisting();
    const {run, commit, rollback} = await database.begin();
    await createSchema(run, serverSecret).catch(async (error: unknown) => {
      rollback();
      // Another copy may have created it meanwhile.
      await refuseExisting();
      throw error;
    });
    const close = (): Promise<void> => {
      rollback();
      return database.close();
    };
    return {
      write: (records) => writeRecords(run, records),
      // Nothing is visible before the end.
      commit: async () => {},
      read: (section) => readSection(run, section, options.now()),
      finish: () => commit().then(close),
      close,
    };
  });
}

async function withDatabase<T>(
  location: PostgresLocation,
  {log}: StoreOptions,
  open: (database: Database) => Promise<T>,
): Promise<T> {
  const options = {tls: await readTls(location), times: defaultTimeLimits, log};
  const database = new Database({...location, applicationName}, options);
  try {
    return await open(database);
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
  location: PostgresLocation,
  log: StoreLog,
): Promise<void> {
  const application = location.applicationName;
  const place = describeLocation(location);
  const deadline = performance.now() + others.patience;
  for (let isLogged = false; ; isLogged = true) {
    const [row] = await database.query<{others: number}>(statements.countSessions, [application]);
    if (row === undefined || row.others === 0) return;
    if (performance.now() >= deadline) {
      const message = `${place} is in use: ${row.others} connections of "${application}" are open.`;
      throw new StoreError('locked', message);
    }
    const details = {database: place, connections: row.others, application};
    if (!isLogged) log.warn(details, 'waiting for connections to close');
    await delay(others.pause);
  }
}

/** Writes records of one section. */
async function writeRecords(run: Run, records: readonly TransferRecord[]): Promise<void> {
  const keys = records.filter((record) => record.type === 'apiKey');
  if (keys.length > 0) await run(apiKeys.insertAll, apiKeys.arrays(keys));
  const made = records.filter((record) => record.type === 'connector');
  if (made.length > 0) await run(connectors.insertAll, connectors.arrays(made));
  const rows = records.flatMap((record): TokenRow[] => {
    if (record.type === 'token') return [toTokenRow(record)];
    if (record.type !== 'closedToken') return [];
    const {hash, expiresAt} = record;
    // Just enough to refuse the token: a redemption that cannot be repeated.
    const redemption = {at: expiresAt, attemptId: '', idempotencyHash: null};
    const unknown = {organization: '', description: null, reissues: null, createdAt: expiresAt};
    return [toTokenRow({hash, ...unknown, expiresAt, redemption})];
  });
  if (rows.length > 0) await run(tokens.insertAll, tokens.arrays(rows));
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
      for await (const rows of readPages(run, tokens, ({hash}) => hash))
        yield await moveTokens(run, rows, now);
  }
}

/** The records of tokens in a copy. Those of removed connectors are closed. */
async function moveTokens(
  run: Run,
  rows: readonly TokenRow[],
  now: number,
): Promise<readonly TransferRecord[]> {
  const kept = rows.filter(({expiresAt}) => expiresAt >= forgottenBefore(now)).map(toToken);
  const found = await run<{id: string}>(statements.findIds, [kept.map(boundId)]);
  const isThere = new Set(['', ...found.map(({id}) => id)]);
  return kept.flatMap((token) => {
    if (isThere.has(boundId(token))) return moveToken(token, now);
    return [closeToken({hash: token.hash, outcome: 'used', expiresAt: token.expiresAt}, now)];
  });
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
