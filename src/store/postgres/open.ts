import {setTimeout as delay} from 'node:timers/promises';
import {type Store, StoreError, type StoreOptions} from '../store.js';
import {Database, defaultTimeLimits, type TimeLimits} from './database.js';
import {parseLocation} from './location.js';
import {openSchema} from './schema.js';
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
  const database = new Database(parseLocation(url), {...options, times});
  try {
    return new PostgresStore(database, await openWhenAvailable(database, options), options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** While the database is unavailable, retries until the options say to stop. */
async function openWhenAvailable(
  database: Database,
  {create = true, log, waitUntil}: StoreOptions,
): Promise<Uint8Array> {
  let logged = '';
  for (;;) {
    try {
      return await openSchema(database, create);
    } catch (error) {
      const mayPass = error instanceof StoreError && error.kind === 'unavailable';
      if (!mayPass || waitUntil === undefined || waitUntil.aborted) throw error;
      if (error.message !== logged) {
        log.warn({database: database.name, reason: error.message}, 'waiting for the database');
        logged = error.message;
      }
    }
    await delay(pause, undefined, {signal: waitUntil}).catch(() => {});
  }
}
