import type {FindByName} from '../connector/id-words.js';
import type {ConnectorInfo, Place, RemovalQuery, StoreAdmin} from '../server/admin/types.js';

/** All connectors of a store that a query names. */
export async function selectAll(
  admin: StoreAdmin,
  query: RemovalQuery,
): Promise<readonly ConnectorInfo[]> {
  const found: ConnectorInfo[] = [];
  let place: Place | null = null;
  do {
    const page: Awaited<ReturnType<StoreAdmin['select']>> = await admin.select(query, place);
    found.push(...page.connectors);
    place = page.next;
  } while (place !== null);
  return found;
}

/** Finds names in a store. */
export function namesOfStore(admin: StoreAdmin): FindByName {
  return async (name) => {
    // As a glob, which the name matches unless it has brackets.
    const found = await selectAll(admin, {names: [name]});
    return found.filter((connector) => connector.name === name).map(({id}) => id);
  };
}
