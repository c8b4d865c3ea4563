import {setTimeout as delay} from 'node:timers/promises';
import {type Store, StoreError, type StoreOptions} from '../store.js';
import {Database, defaultTimeLimits, type TimeLimits} from './database.js';
import {parseLocation} from './location.js';
import {findSchema, openSchema} from './schema.js';
import {PostgresStore} from './store.js';

/** Milliseconds between two attempts to reach a database at start. */
const pause = 500;

/**
 * Opens the store in a PostgreSQL database, and creates missing tables unless the options forbid it.
 *
 * @param url see `location.ts`
 * @param timeLimits replaced by tests
 * @throws StoreError when it cannot be opened
 */
export async function openPostgresStore(
  url: string,
  options: StoreOptions,
  timeLimits: Partial<TimeLimits> = {},
): Promise<Store> {
  const times = {...defaultTimeLimits, ...timeLimits};
  const {log, onCommit} = options;
  const database = new Database(parseLocation(url), {times, log, onCommit});
  try {
    const open = options.create === false ? findSchema : openSchema;
    const info = await withPatience(() => open(database), database.name, options);
    return new PostgresStore(database, info, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** While the database is unavailable, retries until the options say to stop. */
async function withPatience<T>(
  work: () => Promise<T>,
  database: string,
  {log, waitUntil}: StoreOptions,
): Promise<T> {
  let logged = '';
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof StoreError && error.kind === 'unavailable';
      if (!mayPass || waitUntil === undefined || waitUntil.aborted) throw error;
      if (error.message !== logged) {
        log.warn({database, reason: error.message}, 'waiting for the database');
        logged = error.message;
      }
    }
    await delay(pause, undefined, {signal: waitUntil}).catch(() => {});
  }
}
