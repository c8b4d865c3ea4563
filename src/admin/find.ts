import type {FindByName} from '../connector/id-words.js';
import type {ConnectorInfo, ConnectorQuery, StoreAdmin} from '../server/admin/admin.js';

/** All connectors of an organization, or of every one, that a query names. */
export async function selectAll(
  admin: StoreAdmin,
  {
    organization,
    ...rules
  }: Omit<ConnectorQuery, 'organization'> & {readonly organization?: string | undefined},
): Promise<readonly ConnectorInfo[]> {
  // Each organization has an API key, at least a revoked one.
  const all = organization === undefined ? await admin.list() : [{organization}];
  const found: ConnectorInfo[] = [];
  for (const one of [...new Set(all.map((key) => key.organization))].sort()) {
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<StoreAdmin['select']>> = await admin.select(
        {organization: one, ...rules},
        after,
      );
      found.push(...page.connectors);
      after = page.next;
    }
  }
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
