import {limits} from '../../contract/index.js';
import type {ConnectorRecord} from '../../domain/records.js';
import {compileRemoval} from '../../domain/removal.js';
import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {AppError} from '../../errors.js';
import type {Store} from '../../store/store.js';
import {type AuditLog, audit} from '../observability/audit.js';
import {type Runtime, systemRuntime} from '../runtime.js';
import {explained} from './store-errors.js';
import type {ConnectorInfo, Lifecycle, Place, RemovalQuery} from './types.js';

/** Connectors that one call looks at: a fraction of a second's work. */
const scanned = 5000;

/** Settings of `storeLifecycle`. */
export interface LifecycleOptions {
  readonly runtime?: Runtime | undefined;
  /** Lifetime of a token for a new key, in seconds. Default: that of any activation token. */
  readonly tokenTtl?: number | undefined;
}

/** The error for an id that no connector of a store has. */
export function connectorNotInStore(id: string): AppError {
  return new AppError('not_found', `There is no connector ${id} in this store.`, {
    reason: 'connector-not-in-store',
  });
}

/** The life of the connectors of an open store. Changes are logged for audit. */
export function storeLifecycle(
  store: Store,
  log: AuditLog,
  {runtime = systemRuntime, tokenTtl = limits.tokenTtl.default}: LifecycleOptions = {},
): Lifecycle {
  const before = (silentFor: number | undefined) =>
    silentFor === undefined ? undefined : runtime.now() - silentFor;
  return {
    async select({silentFor, ...rules}, place) {
      const test = compileRemoval({...rules, lastHeartbeatBefore: before(silentFor)});
      const organizations = await explained(organizationsOf(store, rules));
      const organization = place?.organization ?? organizations[0];
      if (organization === undefined) return {connectors: [], next: null};
      const page = await explained(readPage(store, organization, place?.after));
      const next = nextPlace(page, organization, organizations);
      return {connectors: page.filter(test).map(withoutKeys), next};
    },
    async find(ids) {
      return (await explained(store.findConnectors(ids))).map(withoutKeys);
    },
    async remove(ids, silentFor) {
      const removed = await explained(store.removeConnectors(ids, before(silentFor) ?? null));
      for (const {id: connector_id, organization} of removed) {
        audit(log, 'connector_removed', {connector_id, organization});
      }
      return removed.map(withoutKeys);
    },
    async reissue(id, revokesNow) {
      const token = formatSecret('activationToken', runtime.randomBytes(secretBytes));
      const createdAt = runtime.now();
      const expiresAt = createdAt + tokenTtl * 1000;
      const connector = await explained(
        store.reissueToken({
          connectorId: id,
          tokenHash: hashSecret(token),
          createdAt,
          expiresAt,
          revocation: revokesNow ? {reason: 'reissued'} : null,
        }),
      );
      if (connector === undefined) throw connectorNotInStore(id);
      const fields = {connector_id: id, organization: connector.organization};
      audit(log, 'connector_reissued', {...fields, expires_at: timestamp(expiresAt)});
      if (revokesNow && connector.revokedAt === createdAt) {
        audit(log, 'connector_key_revoked', {...fields, reason: connector.revocationReason});
      }
      return {token, expiresAt, connector: withoutKeys(connector)};
    },
  };
}

/** Each organization has an API key, at least a revoked one. */
async function organizationsOf(
  store: Store,
  {organization}: RemovalQuery,
): Promise<readonly string[]> {
  if (organization !== undefined) return [organization];
  const keys = await store.listApiKeys();
  return [...new Set(keys.map((key) => key.organization))].sort();
}

async function readPage(
  store: Store,
  organization: string,
  after: string | undefined,
): Promise<readonly ConnectorRecord[]> {
  const page: ConnectorRecord[] = [];
  for await (const batch of store.listConnectors(organization, {after, limit: scanned})) {
    page.push(...batch);
  }
  return page;
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

function withoutKeys(connector: ConnectorRecord): ConnectorInfo {
  const {id, organization, name, activatedAt, lastHeartbeatAt, revokedAt} = connector;
  return {id, organization, name, activatedAt, lastHeartbeatAt, revokedAt};
}
