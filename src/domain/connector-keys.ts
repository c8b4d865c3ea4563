import {type ConnectorRecord, notRevoked, type Revocable} from './records.js';
import {hashesEqual} from './secret.js';

/** The keys of a connector. */
type ConnectorKeys = Pick<
  ConnectorRecord,
  'keyHash' | 'revokedAt' | 'replacedKeyHash' | 'endedKeyHash'
>;

/** The fields of a connector whose key was neither revoked nor replaced. */
export const firstKey: Revocable & Pick<ConnectorRecord, 'replacedKeyHash' | 'endedKeyHash'> = {
  ...notRevoked,
  replacedKeyHash: null,
  endedKeyHash: null,
};

/** What the hash of a key is to a connector. `ends-earlier`: it is valid, and its use ends the key that it replaced. */
export type KeyJudgment = 'valid' | 'ends-earlier' | 'revoked' | 'unknown';

/** Judges a key that a request for a connector was made with, by its hash. */
export function judgeKey(keys: ConnectorKeys, keyHash: string): KeyJudgment {
  const {revokedAt, replacedKeyHash, endedKeyHash} = keys;
  const is = (hash: string | null): boolean => hash !== null && hashesEqual(hash, keyHash);
  if (is(keys.keyHash)) {
    if (revokedAt !== null) return 'revoked';
    return replacedKeyHash === null ? 'valid' : 'ends-earlier';
  }
  if (is(replacedKeyHash)) return revokedAt === null ? 'valid' : 'revoked';
  return is(endedKeyHash) ? 'revoked' : 'unknown';
}

/**
 * A connector with a new key and a new name. Its last key that authenticated a request works until the new one does,
 * so that a lost response locks nobody out; a key that was revoked stays so.
 */
export function replaceKey(
  connector: ConnectorRecord,
  {name, keyHash}: Pick<ConnectorRecord, 'name' | 'keyHash'>,
): ConnectorRecord {
  const {revokedAt, replacedKeyHash} = connector;
  const used = replacedKeyHash ?? connector.keyHash;
  const renewed = {...connector, name, keyHash, ...notRevoked};
  if (revokedAt !== null) return {...renewed, replacedKeyHash: null, endedKeyHash: used};
  // A key that was never used ends with its successor.
  const endedKeyHash = replacedKeyHash === null ? connector.endedKeyHash : connector.keyHash;
  return {...renewed, replacedKeyHash: used, endedKeyHash};
}

/** A connector after the first request that its new key authenticated. */
export function endReplacedKey(connector: ConnectorRecord): ConnectorRecord {
  const {replacedKeyHash} = connector;
  if (replacedKeyHash === null) return connector;
  return {...connector, replacedKeyHash: null, endedKeyHash: replacedKeyHash};
}
