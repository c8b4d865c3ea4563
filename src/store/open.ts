import type {Store} from './store.js';

/** Where a store tells what it does by itself: cuts, compactions, migrations. pino's own shape. */
export interface StoreLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What a store needs from its process. */
export interface StoreOptions {
  readonly log: StoreLog;
  /** The clock, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether to make the store when there is none. Default: yes. */
  readonly create?: boolean | undefined;
  /** Told how long each write and its sync to disk took, in seconds, by a store that syncs itself. */
  readonly onSync?: ((seconds: number) => void) | undefined;
  /** Told how long each change took until it was committed, in seconds, by a store in a database. */
  readonly onCommit?: ((seconds: number) => void) | undefined;
  /** Until when to wait for a database that is not there yet; without it there is no waiting. */
  readonly waitUntil?: AbortSignal | undefined;
}

/** Whether a location names a PostgreSQL database; anything else is the folder of a JSON file store. */
export function isPostgresLocation(location: string): boolean {
  return /^postgres(ql)?:\/\//i.test(location);
}

/**
 * A location in words that are fit for a terminal and a log: of a database nothing of its login.
 *
 * @throws StoreError when it cannot be read
 */
export async function describeStore(location: string): Promise<string> {
  if (!isPostgresLocation(location)) return location;
  const {describeLocation, parseLocation} = await import('./postgres/location.js');
  return `PostgreSQL ${describeLocation(parseLocation(location))}`;
}

/**
 * Opens the store at a location, and makes it when there is none yet, unless told not to. Each kind
 * of store is loaded only when it is used.
 *
 * @throws StoreError when it cannot be opened; nothing was changed then.
 */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  if (isPostgresLocation(location)) {
    const {openPostgresStore} = await import('./postgres/open.js');
    return openPostgresStore(location, options);
  }
  const {openJsonFileStore} = await import('./json-file/open.js');
  return openJsonFileStore(location, options);
}
