import {
  type ApiKeyRecord,
  type ConnectorRecord,
  type Decision,
  notRevoked,
  type Revocable,
  unchanged,
} from './records.js';
import {hashesEqual} from './secret.js';

/**
 * The caller of an operation on a connector: an organization (by its API key), or the connector itself (by the hash of
 * its key). Every lookup takes the caller, so that no query can cross organizations.
 */
export type ConnectorScope = {readonly organization: string} | {readonly keyHash: string};

type ConnectorKeys = Pick<ConnectorRecord, 'keyHash' | 'revokedAt' | 'endedKeyHash'>;

/** The fields of a connector whose key was neither revoked nor replaced. */
export const firstKey: Revocable &
  Pick<ConnectorRecord, 'endedKeyHash' | 'reissueHash' | 'senders'> = {
  ...notRevoked,
  endedKeyHash: null,
  reissueHash: null,
  senders: null,
};

/** The validity of a key's hash for a connector. */
type KeyValidity = 'valid' | 'revoked' | 'unknown';

/** Checks the hash of a request's key against the keys of a connector. */
export function evaluateKey(keys: ConnectorKeys, keyHash: string): KeyValidity {
  const {revokedAt, endedKeyHash} = keys;
  if (hashesEqual(keys.keyHash, keyHash)) return revokedAt === null ? 'valid' : 'revoked';
  return endedKeyHash !== null && hashesEqual(endedKeyHash, keyHash) ? 'revoked' : 'unknown';
}

/**
 * The validity of a caller's key for a connector. The caller may see the connector unless the key is `unknown`, and may
 * record heartbeats only if the key is `valid`.
 */
export function validityOf(connector: ConnectorRecord, scope: ConnectorScope): KeyValidity {
  if ('keyHash' in scope) return evaluateKey(connector, scope.keyHash);
  return connector.organization === scope.organization ? 'valid' : 'unknown';
}

/** A connector with a new key and a new name. Its previous key is refused from then on. */
export function replaceKey(
  connector: ConnectorRecord,
  {name, keyHash}: Pick<ConnectorRecord, 'name' | 'keyHash'>,
): ConnectorRecord {
  return {...connector, ...firstKey, name, keyHash, endedKeyHash: connector.keyHash};
}

/** Revokes the key of a record. A key that is already revoked keeps its time and reason. */
export function revoked<T extends Revocable>(record: T, at: number, reason: string | null): T {
  return record.revokedAt === null ? {...record, revokedAt: at, revocationReason: reason} : record;
}

/** Decides on `Store.createFirstApiKey`. @param hasKeys whether the store has any key */
export function createFirstApiKey(record: ApiKeyRecord, hasKeys: boolean): Decision<boolean> {
  return hasKeys ? unchanged(false) : {answer: true, write: {apiKeys: [record]}};
}

/** Decides on `Store.revokeApiKey`. */
export function revokeApiKey(
  key: ApiKeyRecord | undefined,
  at: number,
  reason: string | null,
): Decision<ApiKeyRecord | undefined> {
  if (key === undefined || key.revokedAt !== null) return unchanged(key);
  const answer = revoked(key, at, reason);
  return {answer, write: {apiKeys: [answer]}};
}

/** Decides on `Store.recordKeyUse`. */
export function recordKeyUse(key: ApiKeyRecord | undefined, at: number): Decision<void> {
  if (key === undefined || (key.lastUsedAt ?? at - 1) >= at) return unchanged(undefined);
  return {answer: undefined, write: {apiKeys: [{...key, lastUsedAt: at}]}};
}

/** Decides on `Store.revokeConnector`. A revocation also ends an unused token that would give the connector a new key. */
export function revokeConnector(
  connector: ConnectorRecord | undefined,
  at: number,
  reason: string | null,
): Decision<ConnectorRecord | undefined> {
  if (connector === undefined) return unchanged(undefined);
  if (connector.revokedAt !== null && connector.reissueHash === null) return unchanged(connector);
  const answer = {...revoked(connector, at, reason), reissueHash: null};
  return {answer, write: {connectors: [answer]}};
}
