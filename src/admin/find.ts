import type {FindByName} from '../connector/id-words.js';
import type {ConnectorInfo, ConnectorRules, StoreAdmin} from '../server/admin/admin.js';

/** The connectors that match the rules: of one organization, or of all. */
export async function selectAll(
  admin: StoreAdmin,
  rules: ConnectorRules,
  organization?: string,
): Promise<readonly ConnectorInfo[]> {
  // Each organization has an API key, at least a revoked one.
  const all = organization === undefined ? await admin.list() : [{organization}];
  const found: ConnectorInfo[] = [];
  for (const one of [...new Set(all.map((key) => key.organization))].sort()) {
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<StoreAdmin['select']>> = await admin.select(one, rules, after);
      found.push(...page.connectors);
      after = page.next;
    }
  }
  return found;
}

/** A search for connectors of a store by name. */
export function namesOfStore(admin: StoreAdmin): FindByName {
  return async (name) => {
    // The rules take the name as a glob, which may match other names too.
    const found = await selectAll(admin, {names: [name]});
    return found.filter((connector) => connector.name === name);
  };
}
