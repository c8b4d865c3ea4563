import {Description, limits} from '../../contract/index.js';
import {isId} from '../../domain/ids.js';
import type {ApiKeyRecord, ConnectorRecord} from '../../domain/records.js';
import {compileRemoval} from '../../domain/removal.js';
import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import {timestamp} from '../../domain/timestamp.js';
import {AppError} from '../../errors.js';
import type {Store} from '../../store/store.js';
import {type AuditLog, audit} from '../observability/audit.js';
import {type Runtime, systemRuntime} from '../runtime.js';
import {makeKey} from './new-key.js';
import {findPage} from './select.js';
import {explainStoreError} from './store-errors.js';
import type {ApiKeyInfo, ConnectorInfo, CreatedKey, NewKey, StoreAdmin} from './types.js';

/** Settings of `storeAdmin`. */
export interface AdminSettings {
  readonly runtime?: Runtime | undefined;
  /** Lifetime of a token for a new key, in seconds. Default: that of any activation token. */
  readonly tokenTtl?: number | undefined;
}

/** An open store for its operator. Changes are logged for audit; `close` closes the store. */
export function storeAdmin(
  store: Store,
  log: AuditLog,
  {runtime = systemRuntime, tokenTtl = limits.tokenTtl.default}: AdminSettings = {},
): StoreAdmin {
  return explaining({
    async create(key) {
      const {record, secret} = makeKey(key, runtime);
      await store.createApiKey(record);
      audit(log, 'key_created', auditFields(record));
      return {record: withoutHash(record), secret};
    },
    async list() {
      const keys = await store.listApiKeys();
      const connectors = await store.listRevokedConnectors();
      return [...keys.map(withoutHash), ...connectors.map(connectorKey)];
    },
    revoke(id, text) {
      const reason = text === null ? null : readReason(text);
      const revokes = isId('con', id) ? revokeConnector : revokeKey;
      return revokes(store, log, id, runtime.now(), reason);
    },
    async select({silentFor, ...rules}, place) {
      const test = compileRemoval({
        ...rules,
        lastHeartbeatBefore: silentFor === undefined ? undefined : runtime.now() - silentFor,
      });
      const {connectors, next} = await findPage(store, rules.organization, place);
      return {connectors: connectors.filter(test).map(withoutKeys), next};
    },
    async find(ids) {
      return (await store.findConnectors(ids)).map(withoutKeys);
    },
    async remove(ids, silentFor) {
      const before = silentFor === null ? null : runtime.now() - silentFor;
      const removed = await store.removeConnectors(ids, before);
      for (const {id: connector_id, organization} of removed) {
        audit(log, 'connector_removed', {connector_id, organization});
      }
      return removed.map(withoutKeys);
    },
    async reissue(id, revokesNow) {
      const token = formatSecret('activationToken', runtime.randomBytes(secretBytes));
      const createdAt = runtime.now();
      const expiresAt = createdAt + tokenTtl * 1000;
      const connector = await store.reissueToken({
        connectorId: id,
        tokenHash: hashSecret(token),
        createdAt,
        expiresAt,
        revocation: revokesNow ? {reason: 'reissued'} : null,
      });
      if (connector === undefined) throw connectorNotInStore(id);
      const fields = {connector_id: id, organization: connector.organization};
      audit(log, 'connector_reissued', {...fields, expires_at: timestamp(expiresAt)});
      if (revokesNow && connector.revokedAt === createdAt) {
        audit(log, 'connector_key_revoked', {...fields, reason: connector.revocationReason});
      }
      return {token, expiresAt, connector: withoutKeys(connector)};
    },
    close: () => store.close(),
  });
}

/** The same methods, which reject with an `AppError` for a store's error. */
function explaining(admin: StoreAdmin): StoreAdmin {
  const methods = Object.entries(admin).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await Reflect.apply(method, admin, args);
      } catch (error) {
        throw explainStoreError(error);
      }
    },
  ]);
  return Object.fromEntries(methods);
}

/**
 * Creates the first API key of a store, unless it has one. If several processes try at once, exactly
 * one creates it.
 */
export async function createFirstKey(
  store: Store,
  key: NewKey,
  log: AuditLog,
  runtime: Runtime = systemRuntime,
): Promise<CreatedKey | undefined> {
  const {record, secret} = makeKey(key, runtime);
  if (!(await store.createFirstApiKey(record))) return undefined;
  audit(log, 'key_created', auditFields(record));
  return {record: withoutHash(record), secret};
}

async function revokeConnector(
  store: Store,
  log: AuditLog,
  id: string,
  at: number,
  reason: string | null,
): Promise<ApiKeyInfo> {
  const connector = await store.revokeConnector(id, at, reason);
  if (connector === undefined) throw connectorNotInStore(id);
  const {organization, revocationReason} = connector;
  const fields = {connector_id: id, organization, reason: revocationReason};
  // A key that was revoked before keeps its time, and its audit record.
  if (connector.revokedAt === at) audit(log, 'connector_key_revoked', fields);
  return connectorKey(connector);
}

async function revokeKey(
  store: Store,
  log: AuditLog,
  id: string,
  at: number,
  reason: string | null,
): Promise<ApiKeyInfo> {
  const record = await store.revokeApiKey(id, at, reason);
  if (record === undefined) {
    throw new AppError('not_found', `There is no API key ${id}.`, {reason: 'key-not-in-store'});
  }
  if (record.revokedAt === at) {
    audit(log, 'key_revoked', {...auditFields(record), reason: record.revocationReason});
  }
  return withoutHash(record);
}

function connectorNotInStore(id: string): AppError {
  return new AppError('not_found', `There is no connector ${id} in this store.`, {
    reason: 'connector-not-in-store',
  });
}

function readReason(text: string): string {
  const reason = Description.safeParse(text);
  if (reason.success) return reason.data;
  throw new AppError('usage', `The reason ${reason.error.issues[0]?.message}.`, {
    reason: 'revocation-reason-invalid',
  });
}

/** A connector's own key in the form of an organization's API key. */
function connectorKey(connector: ConnectorRecord): ApiKeyInfo {
  const {id, organization, name, activatedAt, lastHeartbeatAt} = connector;
  const {revokedAt, revocationReason} = connector;
  return {
    id,
    organization,
    access: 'connector',
    description: name,
    createdAt: activatedAt,
    expiresAt: null,
    revokedAt,
    revocationReason,
    lastUsedAt: lastHeartbeatAt,
  };
}

function auditFields({id, organization, access}: ApiKeyInfo): object {
  return {key_id: id, organization, access};
}

function withoutHash({hash: _, ...info}: ApiKeyRecord): ApiKeyInfo {
  return info;
}

function withoutKeys(connector: ConnectorRecord): ConnectorInfo {
  const {id, organization, name, activatedAt, lastHeartbeatAt, revokedAt} = connector;
  return {id, organization, name, activatedAt, lastHeartbeatAt, revokedAt};
}
