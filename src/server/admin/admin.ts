import {Description, limits} from '../../contract/index.js';
import {nameMatcher} from '../../domain/glob.js';
import {isId} from '../../domain/ids.js';
import type {ApiKeyRecord, ConnectorRecord} from '../../domain/records.js';
import {isSilentSince} from '../../domain/removal.js';
import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import {timestamp, timestampOrNull} from '../../domain/timestamp.js';
import {AppError} from '../../errors.js';
import type {Store} from '../../store/store.js';
import {type Runtime, systemRuntime} from '../context.js';
import {type AuditLog, audit, canAudit} from '../observability/audit.js';
import type {UnknownConnector, UnknownConnectors} from '../observability/unknown-connectors.js';
import {makeKey, type NewKey} from './new-key.js';

interface AdminSettings {
  readonly runtime?: Runtime | undefined;
  /** Lifetime in seconds of a token that gives a connector a new key. Default: that of any activation token. */
  readonly tokenTtl?: number | undefined;
  /** The connectors that a running service has refused. */
  readonly unknown?: UnknownConnectors | undefined;
}

/** An organization's or a connector's API key without its hash, as `--json` shows it; times in ISO 8601 UTC. */
export type ApiKeyInfo = ReturnType<typeof keyInfo>;

/** A new API key; its secret is available only here. */
export interface CreatedKey {
  readonly record: ApiKeyInfo;
  readonly secret: string;
}

/** A connector without its keys, as `--json` shows it. It has no status: that depends on the service's interval. */
export type ConnectorInfo = ReturnType<typeof connectorInfo>;

/** A connector that a running service has refused. */
export interface UnknownInfo extends UnknownConnector {
  /** The name of the connector that has this id in the store, but another key; null without such a connector. */
  readonly name: string | null;
}

/** The rules that a connector must match to be found. */
export interface ConnectorRules {
  /** Only connectors with a name that one of these globs matches. */
  readonly names?: readonly string[] | undefined;
  /** Only connectors that have sent a heartbeat, but none for this many milliseconds. */
  readonly silentFor?: number | undefined;
}

/** Connectors that one call of `select` reads: a fraction of a second's work. */
const pageSize = 5000;

/**
 * An operator's operations on a store that this process has opened, or on the store of a running service. Changes are
 * logged for audit. Errors are `AppError` and `StoreError`.
 */
export type StoreAdmin = ReturnType<typeof storeAdmin>;

/** Creates an operator's operations on an open store. */
export function storeAdmin(store: Store, log: AuditLog, settings: AdminSettings = {}) {
  const {runtime = systemRuntime, tokenTtl = limits.tokenTtl.default, unknown} = settings;
  return {
    ...keyAdmin(store, log, runtime),
    ...connectorAdmin(store, log, runtime),
    /**
     * Creates a token that gives a connector a new key.
     *
     * @param revokesNow whether to revoke the current key of the connector at once
     * @throws AppError `not_found` for an unknown id
     */
    async reissue(id: string, revokesNow: boolean) {
      requireAudit(log);
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
      if (revokesNow) auditRevocation(log, connector, createdAt);
      return {token, expiresAt, connector: connectorInfo(connector)};
    },

    /** The unknown connectors that the service refused within the last hour, by id; null when no service runs. */
    async unknown(): Promise<readonly UnknownInfo[] | null> {
      if (unknown === undefined) return null;
      const all = [...unknown.current(runtime.now())].sort((a, b) => (a.id < b.id ? -1 : 1));
      const found = await store.findConnectors(all.map(({id}) => id));
      const names = new Map(found.map(({id, name}) => [id, name]));
      return all.map((one) => ({...one, name: names.get(one.id) ?? null}));
    },
  };
}

/** @throws AppError `unavailable` when the audit log has no room for a record of the change */
function requireAudit(log: AuditLog): void {
  if (canAudit(log)) return;
  throw new AppError('unavailable', 'The audit log takes no more records; nothing was changed.', {
    reason: 'audit-unavailable',
  });
}

/** An operator's operations on API keys. */
function keyAdmin(store: Store, log: AuditLog, runtime: Runtime) {
  return {
    async create(key: NewKey): Promise<CreatedKey> {
      requireAudit(log);
      const {record, secret} = makeKey(key, runtime);
      await store.createApiKey(record);
      audit(log, 'key_created', auditFields(record));
      return {record: keyInfo(record), secret};
    },

    /**
     * All API keys, oldest first, including revoked and expired ones; then the revoked keys of connectors,
     * by connector id.
     */
    async list(): Promise<readonly ApiKeyInfo[]> {
      const keys = await store.listApiKeys();
      const connectors = await store.listRevokedConnectors();
      return [...keys.map(keyInfo), ...connectors.map(connectorKey)];
    },

    /**
     * Revokes an API key by its id, or a connector's own key by the id of the connector. A key that is
     * revoked already keeps its time and reason.
     *
     * @throws AppError `not_found` for an unknown id, `usage` for an invalid reason
     */
    async revoke(id: string, text: string | null): Promise<ApiKeyInfo> {
      requireAudit(log);
      const reason = text === null ? null : readReason(text);
      const at = runtime.now();
      if (isId('con', id)) {
        const connector = await store.revokeConnector(id, at, reason);
        if (connector === undefined) throw connectorNotInStore(id);
        auditRevocation(log, connector, at);
        return connectorKey(connector);
      }
      const record = await store.revokeApiKey(id, at, reason);
      if (record === undefined) {
        throw new AppError('not_found', `There is no API key ${id}.`, {reason: 'key-not-in-store'});
      }
      if (record.revokedAt === at) {
        audit(log, 'key_revoked', {...auditFields(record), reason: record.revocationReason});
      }
      return keyInfo(record);
    },
  };
}

/** An operator's operations on connectors. */
function connectorAdmin(store: Store, log: AuditLog, runtime: Runtime) {
  return {
    /**
     * Finds connectors of an organization page by page.
     *
     * @param after the id before the page; empty for the first page
     * @returns the matching connectors of the page, perhaps none, and the `after` of the next page, null after the last
     */
    async select(organization: string, {names, silentFor}: ConnectorRules, after: string) {
      const isNamed = nameMatcher(names);
      const isWanted = (one: ConnectorRecord) =>
        isNamed(one.name) &&
        (silentFor === undefined || isSilentSince(one, runtime.now() - silentFor));
      const page: ConnectorRecord[] = [];
      const range = {after, limit: pageSize};
      for await (const batch of store.listConnectors(organization, range)) page.push(...batch);
      const next = page.length < pageSize ? null : (page.at(-1)?.id ?? null);
      return {connectors: page.filter(isWanted).map(connectorInfo), next};
    },

    /** The connectors with these ids, at most `removalBatch`. */
    async find(ids: readonly string[]): Promise<readonly ConnectorInfo[]> {
      return (await store.findConnectors(ids)).map(connectorInfo);
    },

    /**
     * Removes connectors, at most `removalBatch`, all or none; see `Store.removeConnectors`.
     *
     * @param silentFor as in `ConnectorRules`, at the moment of the removal; null removes all
     * @returns the removed connectors
     */
    async remove(
      ids: readonly string[],
      silentFor: number | null,
    ): Promise<readonly ConnectorInfo[]> {
      requireAudit(log);
      const before = silentFor === null ? null : runtime.now() - silentFor;
      const removed = await store.removeConnectors(ids, before);
      for (const {id: connector_id, organization} of removed) {
        audit(log, 'connector_removed', {connector_id, organization});
      }
      return removed.map(connectorInfo);
    },
  };
}

/** Saves a new key outside the store, and returns a function that removes it again. */
export type SaveKey = (key: CreatedKey) => Promise<() => Promise<void>>;

/**
 * Creates the first API key of a store, unless there is one. If several processes try at once, only one creates it.
 *
 * @param save called before the key is in the store, because a lost key cannot be shown again
 */
export async function createFirstKey(
  store: Store,
  key: NewKey,
  save: SaveKey,
  log: AuditLog,
  runtime: Runtime = systemRuntime,
): Promise<void> {
  if ((await store.listApiKeys()).length > 0) return;
  const {record, secret} = makeKey(key, runtime);
  const undo = await save({record: keyInfo(record), secret});
  let isCreated = false;
  try {
    isCreated = await store.createFirstApiKey(record);
  } finally {
    if (!isCreated) await undo();
  }
  if (isCreated) audit(log, 'key_created', auditFields(record));
}

/** Logs a revocation. A key that was already revoked has its audit record. */
function auditRevocation(log: AuditLog, connector: ConnectorRecord, at: number): void {
  const {id: connector_id, organization, revokedAt, revocationReason: reason} = connector;
  if (revokedAt === at) audit(log, 'connector_key_revoked', {connector_id, organization, reason});
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
  const {name: description, activatedAt: createdAt, lastHeartbeatAt: lastUsedAt} = connector;
  const times = {createdAt, expiresAt: null, lastUsedAt};
  return keyInfo({...connector, ...times, access: 'connector', description});
}

function auditFields({id, organization, access}: ApiKeyRecord): object {
  return {key_id: id, organization, access};
}

export function keyInfo(
  key: Omit<ApiKeyRecord, 'access' | 'hash'> & {
    readonly access: ApiKeyRecord['access'] | 'connector';
  },
) {
  return {
    id: key.id,
    organization: key.organization,
    access: key.access,
    description: key.description,
    created_at: timestamp(key.createdAt),
    expires_at: timestampOrNull(key.expiresAt),
    revoked_at: timestampOrNull(key.revokedAt),
    revocation_reason: key.revocationReason,
    last_used_at: timestampOrNull(key.lastUsedAt),
  };
}

function connectorInfo(connector: ConnectorRecord) {
  return {
    id: connector.id,
    name: connector.name,
    organization: connector.organization,
    activated_at: timestamp(connector.activatedAt),
    last_heartbeat_at: timestampOrNull(connector.lastHeartbeatAt),
    revoked_at: timestampOrNull(connector.revokedAt),
  };
}
