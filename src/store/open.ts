import type {Store, StoreOptions} from './store.js';

/** Whether a location names a PostgreSQL database; anything else is the directory of a JSON file store. */
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
