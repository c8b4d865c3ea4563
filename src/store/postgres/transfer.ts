import type {Changes} from '../../domain/records.js';
import {StoreError} from '../store.js';
import type {Transfer, TransferSource} from '../transfer.js';
import {Database, defaultTimeLimits, type Run} from './database.js';
import {parseLocation} from './location.js';
import {createSchema, openSchema} from './schema.js';
import {writeChanges} from './store.js';
import {apiKeys, connectors, statements, type Table, tokens} from './tables.js';

/** See `Transfer`. */
export const openSource: Transfer['openSource'] = async (url, {log}) => {
  // No retries: they would pass on the same records again.
  const times = {...defaultTimeLimits, retryPeriod: 0};
  const database = new Database(parseLocation(url), {log, times});
  try {
    const serverSecret = await openSchema(database, false);
    const read: TransferSource['read'] = (write) =>
      database.longTransaction((run) => readLocked(run, database.name, write));
    return {serverSecret, read, close: () => database.close()};
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** See `Transfer`. Writes all records in one transaction. */
export const createCopy: Transfer['createCopy'] = async (url, serverSecret, {log}, fill) => {
  const database = new Database(parseLocation(url), {log});
  try {
    const copied = await createSchema(database, serverSecret, (run) =>
      fill(async (changes) => void (await Promise.all(writeChanges(run, changes)))),
    );
    if (copied !== undefined) return copied;
    const message = `${database.name} holds a store already; a copy needs an empty database.`;
    throw new StoreError('format', message);
  } finally {
    await database.close();
  }
};

/**
 * Reads all records under a lock that stops changes to them, so that the copy has each change acknowledged before. One
 * that waits for the lock shows that the store is in use; an idle service goes unnoticed.
 */
async function readLocked(
  run: Run,
  name: string,
  write: (changes: Changes) => Promise<void>,
): Promise<void> {
  await run(statements.lockTables);
  for await (const rows of readPages(run, apiKeys)) await write({apiKeys: rows});
  for await (const rows of readPages(run, connectors)) await write({connectors: rows});
  for await (const rows of readPages(run, tokens)) await write({tokens: rows});
  const [row] = await run<{waiting: number}>(statements.countWaiting);
  if (row === undefined || row.waiting === 0) return;
  const message = `${name} is in use: ${row.waiting} changes wait for the end of the copy.`;
  throw new StoreError('locked', message);
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
