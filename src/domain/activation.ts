import {
  type ApiKeyRecord,
  type ConnectorRecord,
  type Decision,
  type NewConnector,
  notRevoked,
  type Redemption,
  type Revocable,
  type TokenRecord,
  unchanged,
} from './records.js';
import {hashesEqual} from './secret.js';
import {clockTolerance, minute} from './time.js';

/** An attempt to redeem an activation token. */
export interface RedemptionAttempt {
  readonly tokenHash: string;
  /** Hash of the Idempotency-Key, or null without one. */
  readonly idempotencyHash: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The connector to create; its organization is set from the token. */
  readonly connector: Omit<NewConnector, 'organization'>;
  /** Returns the hash of the key that the token gives to the connector with this id. */
  readonly keyHashOf: (connectorId: string) => string;
}

/** A token that gives a connector a new key. */
export interface Reissue {
  readonly connectorId: string;
  readonly tokenHash: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Revokes the connector's key in the same write, at `createdAt`; null keeps it. */
  readonly revocation: {readonly reason: string | null} | null;
}

/** The outcome of redeeming a token, with the connector that a response shows. */
export type RedeemResult =
  /** `redeemed`: a new connector; `reissued`: a new key for an existing one; `repeated`: the earlier outcome again. */
  | {readonly outcome: 'redeemed' | 'reissued' | 'repeated'; readonly connector: ConnectorRecord}
  /** `full`: the organization has as many connectors as it may; the token stays unused. */
  | {readonly outcome: 'unknown' | 'used' | 'expired' | 'full'};

/** Milliseconds for which a store keeps a token after its expiry, to tell `used` and `expired` from `unknown`. */
export const tokenRetention = 60 * minute;

/** The id of the connector that a token created, or gives a new key; empty before a token creates its connector. */
export function boundId({redemption, reissues}: TokenRecord): string {
  return reissues ?? redemption?.attemptId ?? '';
}

/** Decides on `Store.createToken`. @param hasRoom whether the organization may have one more token */
export function createToken(record: TokenRecord, hasRoom: boolean): Decision<boolean> {
  return hasRoom ? {answer: true, write: {tokens: [record]}} : unchanged(false);
}

/**
 * Decides on `Store.redeemToken`. A request with the same token, Idempotency-Key and name gets `repeated`, with the same
 * connector and key, until the token is `unknown`, unless the key is revoked or replaced: a machine may be
 * off the network for longer than a token lives. The attempt that used the token also gets `repeated`, because its
 * transaction may run again after a commit. A used token stays `used` after its expiry and after its connector's
 * removal, because that says more. An hour after its expiry, every token is `unknown`, even if the store still has it.
 *
 * @param bound the connector with `boundId`; undefined if none exists
 * @param hasRoom whether the organization of the token may have one more connector
 */
export function redeemToken(
  token: TokenRecord | undefined,
  bound: ConnectorRecord | undefined,
  attempt: RedemptionAttempt,
  hasRoom: boolean,
): Decision<RedeemResult> {
  if (token === undefined || attempt.at >= token.expiresAt + tokenRetention)
    return unchanged({outcome: 'unknown'});
  if (token.redemption !== null) {
    const isRepeated = bound !== undefined && isRepetition(token.redemption, bound, attempt);
    return unchanged(isRepeated ? {outcome: 'repeated', connector: bound} : {outcome: 'used'});
  }
  if (token.reissues !== null && bound?.reissueHash !== token.hash) {
    return unchanged({outcome: 'used'});
  }
  if (attempt.at >= token.expiresAt) return unchanged({outcome: 'expired'});
  if (token.reissues !== null && bound !== undefined) {
    const keyHash = attempt.keyHashOf(bound.id);
    const connector = replaceKey(bound, {name: attempt.connector.name, keyHash});
    return use(token, attempt, {outcome: 'reissued', connector});
  }
  if (!hasRoom) return unchanged({outcome: 'full'});
  const connector = {...attempt.connector, organization: token.organization, ...firstKey};
  return use(token, attempt, {outcome: 'redeemed', connector});
}

/** Whether an attempt repeats the one that used its token. */
function isRepetition(
  {idempotencyHash, attemptId}: Redemption,
  bound: ConnectorRecord,
  attempt: RedemptionAttempt,
): boolean {
  if (bound.revokedAt !== null) return false;
  if (!hashesEqual(bound.keyHash, attempt.keyHashOf(bound.id))) return false;
  if (attemptId === attempt.connector.id) return true;
  return (
    idempotencyHash !== null &&
    attempt.idempotencyHash !== null &&
    hashesEqual(idempotencyHash, attempt.idempotencyHash) &&
    bound.name === attempt.connector.name
  );
}

/** Decides to write a connector and to mark its token as used. */
function use(
  token: TokenRecord,
  {at, idempotencyHash, connector: {id: attemptId}}: RedemptionAttempt,
  answer: Extract<RedeemResult, {readonly connector: ConnectorRecord}>,
): Decision<RedeemResult> {
  const redeemed = {...token, redemption: {at, attemptId, idempotencyHash}};
  return {answer, write: {tokens: [redeemed], connectors: [answer.connector]}};
}

/** Decides on `Store.reissueToken`. The new `reissueHash` ends any earlier token for the connector. */
export function reissueToken(
  connector: ConnectorRecord | undefined,
  {connectorId: reissues, tokenHash: hash, createdAt, expiresAt, revocation}: Reissue,
): Decision<ConnectorRecord | undefined> {
  if (connector === undefined) return unchanged(undefined);
  const current = revocation ? revoked(connector, createdAt, revocation.reason) : connector;
  const answer = {...current, reissueHash: hash};
  const {organization} = connector;
  const dates = {createdAt, expiresAt};
  const token = {hash, organization, description: null, ...dates, reissues, redemption: null};
  return {answer, write: {tokens: [token], connectors: [answer]}};
}

/**
 * Whether a new activation token has another lifetime than requested. Uses the service's clock, so that a wrong local
 * clock causes no warning.
 *
 * @param token `serverTime`: when the service responded; without it the result is false
 * @param seconds the requested lifetime
 */
export function ignoresLifetime(
  token: {readonly expiresAt: Date; readonly serverTime: Date | undefined},
  seconds: number,
): boolean {
  if (token.serverTime === undefined) return false;
  const lifetime = token.expiresAt.getTime() - token.serverTime.getTime();
  // A difference up to a minute does not count; for a lifetime below two minutes, up to half of it.
  return Math.abs(lifetime - seconds * 1000) > Math.min(clockTolerance, seconds * 500);
}

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
