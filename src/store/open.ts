import type {Store, StoreOptions} from './store.js';

/** Whether a location names a PostgreSQL database; anything else is the directory of a JSON file store. */
export function isPostgresLocation(location: string): boolean {
  return /^postgres(ql)?:\/\//i.test(location);
}

/**
 * A location as shown in terminals and logs: without the login of a database.
 *
 * @throws StoreError when it cannot be parsed
 */
export async function describeStore(location: string): Promise<string> {
  if (!isPostgresLocation(location)) return location;
  const {describeLocation, parseLocation} = await import('./postgres/location.js');
  return `PostgreSQL ${describeLocation(parseLocation(location))}`;
}

/**
 * Opens the store at a location, and creates it when there is none unless `create` is false. The code
 * of each kind of store is loaded when it is needed.
 *
 * @throws StoreError when it cannot be opened
 */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  if (isPostgresLocation(location)) {
    const {openPostgresStore} = await import('./postgres/store.js');
    return openPostgresStore(location, options);
  }
  const {openJsonFileStore} = await import('./json-file/open.js');
  return openJsonFileStore(location, options);
}
