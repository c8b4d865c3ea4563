import {Description} from '../../contract/index.js';
import {isId} from '../../domain/ids.js';
import {type ApiKeyRecord, type ConnectorRecord, notRevoked} from '../../domain/records.js';
import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import type {Store} from '../../store/store.js';
import {type AuditLog, audit} from '../observability/audit.js';
import {type Runtime, systemRuntime} from '../runtime.js';
import {connectorNotInStore} from './lifecycle.js';
import {explained} from './store-errors.js';
import {type ApiKeyInfo, type CreatedKey, type Keyring, NewKey} from './types.js';

/** The latest time with a four-digit year in ISO 8601. */
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The keys of an open store. Changes are logged for audit; `close` closes the store. */
export function storeKeyring(
  store: Store,
  log: AuditLog,
  runtime: Runtime = systemRuntime,
): Keyring {
  return {
    async create(key) {
      const {record, secret} = makeKey(key, runtime);
      await explained(store.createApiKey(record));
      audit(log, 'key_created', auditFields(record));
      return {record: withoutHash(record), secret};
    },
    async list() {
      const keys = await explained(store.listApiKeys());
      const connectors = await explained(store.listRevokedConnectors());
      return [...keys.map(withoutHash), ...connectors.map(connectorKey)];
    },
    async revoke(id, text) {
      const reason = text === null ? null : readReason(text);
      const at = runtime.now();
      if (isId('con', id)) {
        const connector = await explained(store.revokeConnector(id, at, reason));
        if (connector === undefined) throw connectorNotInStore(id);
        const {organization, revocationReason} = connector;
        const fields = {connector_id: id, organization, reason: revocationReason};
        if (connector.revokedAt === at) audit(log, 'connector_key_revoked', fields);
        return connectorKey(connector);
      }
      const record = await explained(store.revokeApiKey(id, at, reason));
      if (record === undefined) {
        throw new AppError('not_found', `There is no API key ${id}.`, {reason: 'key-not-in-store'});
      }
      // A key that was revoked before keeps its time, and its audit record.
      if (record.revokedAt === at) {
        audit(log, 'key_revoked', {...auditFields(record), reason: record.revocationReason});
      }
      return withoutHash(record);
    },
    close: () => explained(store.close()),
  };
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

function makeKey(
  key: NewKey,
  runtime: Runtime,
): {readonly record: ApiKeyRecord; readonly secret: string} {
  const createdAt = runtime.now();
  const {organization, description, expiresAt} = readNewKey(key);
  if (expiresAt !== null) checkExpiry(expiresAt, createdAt);
  const secret = formatSecret('organizationKey', runtime.randomBytes(secretBytes));
  const record: ApiKeyRecord = {
    id: runtime.newId('key', createdAt),
    organization,
    hash: hashSecret(secret),
    description,
    createdAt,
    expiresAt,
    ...notRevoked,
    lastUsedAt: null,
  };
  return {record, secret};
}

function checkExpiry(expiresAt: number, createdAt: number): void {
  if (expiresAt <= createdAt) {
    throw new AppError('usage', 'The key would expire before it is created.', {
      reason: 'key-expiry-past',
    });
  }
  if (expiresAt > latestExpiry) {
    throw new AppError('usage', 'The key would expire after the year 9999.', {
      reason: 'key-expiry-too-late',
    });
  }
}

function readNewKey(key: NewKey): NewKey {
  const read = NewKey.safeParse(key);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new AppError('usage', `The ${issue?.path.join('.')} ${issue?.message}.`, {
    reason: 'key-invalid',
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
    description: name,
    createdAt: activatedAt,
    expiresAt: null,
    revokedAt,
    revocationReason,
    lastUsedAt: lastHeartbeatAt,
  };
}

function auditFields({id, organization}: ApiKeyInfo): object {
  return {key_id: id, organization};
}

function withoutHash({hash: _, ...info}: ApiKeyRecord): ApiKeyInfo {
  return info;
}
