import type {FindByName} from '../connector/id-words.js';
import type {ConnectorInfo, ConnectorRules, StoreAdmin} from '../server/admin/admin.js';

/** All connectors of one or every organization that match the rules. */
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

/** Finds names in a store. */
export function namesOfStore(admin: StoreAdmin): FindByName {
  return async (name) => {
    // The name is a glob here. It matches itself unless it has brackets.
    const found = await selectAll(admin, {names: [name]});
    return found.filter((connector) => connector.name === name).map(({id}) => id);
  };
}
