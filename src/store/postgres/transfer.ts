import {setTimeout as delay} from 'node:timers/promises';
import type {Changes} from '../../domain/records.js';
import {StoreError} from '../store.js';
import type {Transfer} from '../transfer.js';
import {Database} from './database.js';
import {parseLocation} from './location.js';
import {createSchema, openSchema} from './schema.js';
import {writeChanges} from './store.js';
import {apiKeys, connectors, statements, type Table, tokens} from './tables.js';

/** Application name of the sessions that copy a store. */
const applicationName = 'connectorctl store copy';

/**
 * Number of checks for other connections, and milliseconds between two: PostgreSQL lists a closed connection for a
 * moment longer.
 */
const others = {looks: 60, pause: 50} as const;

/** See `Transfer`. */
export const openSource: Transfer['openSource'] = async (url, {log}) => {
  const location = parseLocation(url);
  const database = new Database({...location, applicationName}, {log});
  try {
    const serverSecret = await openSchema(database, false);
    await waitUntilAlone(database, location.applicationName);
    const records = () => recordsOf(database, location.applicationName);
    return {serverSecret, records, close: () => database.close()};
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** See `Transfer`. All is written in one transaction. */
export const createCopy: Transfer['createCopy'] = async (url, serverSecret, {log}, fill) => {
  const database = new Database({...parseLocation(url), applicationName}, {log});
  try {
    const copied = await createSchema(database, serverSecret, (run) =>
      fill((changes) => writeChanges(run, changes)),
    );
    if (copied !== undefined) return copied;
    const message = `${database.name} holds a store already; a copy needs an empty database.`;
    throw new StoreError('format', message);
  } finally {
    await database.close();
  }
};

/**
 * Makes sure that no service is connected, because the copy might miss its writes. An idle service may go
 * undetected until it is used.
 */
async function waitUntilAlone(database: Database, application: string): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    const [row] = await database.query<{others: number}>(statements.countSessions, [application]);
    if (row === undefined || row.others === 0) return;
    if (looks === others.looks) {
      const message = `${database.name} is in use: ${row.others} connections of "${application}" are open.`;
      throw new StoreError('locked', message);
    }
    await delay(others.pause);
  }
}

/** Reads connectors before tokens, so that a token that is redeemed during the copy is not unused in it. */
async function* recordsOf(database: Database, application: string): AsyncGenerator<Changes> {
  for await (const rows of readPages(database, apiKeys)) yield {apiKeys: rows};
  for await (const rows of readPages(database, connectors)) yield {connectors: rows};
  for await (const rows of readPages(database, tokens)) yield {tokens: rows};
  await waitUntilAlone(database, application);
}

async function* readPages<Row extends object>(
  database: Database,
  {select, key}: Table<Row>,
): AsyncGenerator<readonly Row[]> {
  const text = `${select} WHERE ${key} > $1 ORDER BY ${key} LIMIT 1000`;
  let rows = await database.query<Row>(text, ['']);
  while (rows.length > 0) {
    yield rows;
    rows = await database.query<Row>(text, [rows.at(-1)?.[key]]);
  }
}
