import {setTimeout as delay} from 'node:timers/promises';
import {boundId} from '../../domain/activation.js';
import type {ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {StoreError} from '../store.js';
import {mayMatter, type Section, type Transfer, type TransferRecord} from '../transfer.js';
import {Database, type Run} from './database.js';
import {parseLocation} from './location.js';
import {createSchema, openSchema} from './schema.js';
import {writeChanges} from './store.js';
import {apiKeys, connectors, statements, type Table, tokens} from './tables.js';

/** Application name of the sessions that copy a store. */
const applicationName = 'connectorctl store copy';

/**
 * Attempts to find no other connection, and milliseconds between them: PostgreSQL lists a closed one for a moment
 * longer.
 */
const others = {looks: 60, pause: 50} as const;

/** See `Transfer`. */
export const openSource: Transfer['openSource'] = async (url, {log, now}) => {
  const location = parseLocation(url);
  const database = new Database({...location, applicationName}, {log});
  try {
    const serverSecret = await openSchema(database, false);
    await waitUntilAlone(database, location.applicationName);
    const run: Run = (...query) => database.query(...query);
    const read = (section: Section) => readSection(run, section, now());
    return {serverSecret, read, close: () => database.close()};
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** See `Transfer`. All is written in one transaction. */
export const createCopy: Transfer['createCopy'] = async (url, serverSecret, {log, now}, fill) => {
  const database = new Database({...parseLocation(url), applicationName}, {log});
  try {
    const copied = await createSchema(database, serverSecret, (run) =>
      fill({
        write: (changes) => writeChanges(run, changes),
        read: (section) => readSection(run, section, now()),
      }),
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
 * undetected.
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

async function* readSection(
  run: Run,
  section: Section,
  now: number,
): AsyncGenerator<readonly TransferRecord[]> {
  if (section === 'apiKeys') yield* readPages(run, apiKeys);
  else if (section === 'connectors') yield* readPages(run, connectors);
  else for await (const rows of readPages(run, tokens)) yield await moved(run, rows, now);
}

async function* readPages<Row extends object>(
  run: Run,
  {select, key}: Table<Row>,
): AsyncGenerator<readonly Row[]> {
  const text = `${select} WHERE ${key} > $1 ORDER BY ${key} LIMIT 1000`;
  let rows = await run<Row>(text, ['']);
  while (rows.length > 0) {
    yield rows;
    rows = await run<Row>(text, [rows.at(-1)?.[key]]);
  }
}

/** The records of tokens in a copy. */
async function moved(
  run: Run,
  rows: readonly TokenRecord[],
  now: number,
): Promise<readonly TokenRecord[]> {
  const found = await run<ConnectorRecord>(statements.findConnectors, [rows.map(boundId)]);
  const ids = new Set(found.map(({id}) => id));
  return rows.filter((token) => mayMatter(token, (id) => ids.has(id), now));
}
