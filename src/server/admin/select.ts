import type {ConnectorRecord} from '../../domain/records.js';
import type {Store} from '../../store/store.js';
import type {Place} from './types.js';

/** Connectors that one call looks at: a fraction of a second's work. */
const scanned = 5000;

/** One page of the connectors of an organization, or of all, and where the next one begins. */
export async function findPage(
  store: Store,
  only: string | undefined,
  place: Place | null,
): Promise<{readonly connectors: readonly ConnectorRecord[]; readonly next: Place | null}> {
  const organizations = only === undefined ? await organizationsOf(store) : [only];
  const organization = place?.organization ?? organizations[0];
  if (organization === undefined) return {connectors: [], next: null};
  const connectors: ConnectorRecord[] = [];
  const range = {after: place?.after, limit: scanned};
  for await (const batch of store.listConnectors(organization, range)) connectors.push(...batch);
  return {connectors, next: nextPlace(connectors, organization, organizations)};
}

/** Each organization has an API key, at least a revoked one. */
async function organizationsOf(store: Store): Promise<readonly string[]> {
  const keys = await store.listApiKeys();
  return [...new Set(keys.map(({organization}) => organization))].sort();
}

function nextPlace(
  page: readonly ConnectorRecord[],
  organization: string,
  organizations: readonly string[],
): Place | null {
  const last = page.at(-1);
  if (page.length === scanned && last !== undefined) return {organization, after: last.id};
  const following = organizations[organizations.indexOf(organization) + 1];
  return following === undefined ? null : {organization: following, after: ''};
}
