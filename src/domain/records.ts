import type {KeyAccess} from '../contract/index.js';
import type {Senders} from './senders.js';

/**
 * The records of a store. Times are milliseconds since the Unix epoch, hashes are those of
 * `domain/secret.ts`. No record holds a secret.
 */

/** Time and reason of a key's revocation; both null while the key is valid. */
export interface Revocable {
  readonly revokedAt: number | null;
  readonly revocationReason: string | null;
}

/** The fields of a key that is not revoked. */
export const notRevoked: Revocable = {revokedAt: null, revocationReason: null};

/** A connector as its activation creates it. */
export interface NewConnector {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly keyHash: string;
  readonly activatedAt: number;
  /** Null before the first heartbeat. Never goes backwards. */
  readonly lastHeartbeatAt: number | null;
}

/** An activated connector. The record stays when its key is revoked. Its status is derived, never stored. */
export interface ConnectorRecord extends NewConnector, Revocable {
  /** Hash of the key that the current one replaced, which is refused as revoked. Earlier keys are unknown. */
  readonly endedKeyHash: string | null;
  /** Hash of the token that may replace the key; any other token for this connector counts as used. */
  readonly reissueHash: string | null;
  /** Null until a heartbeat with the current key names its sender. A restart of the service may lose recent changes. */
  readonly senders: Senders | null;
}

/** An activation token and its redemption. */
export interface TokenRecord {
  readonly hash: string;
  readonly organization: string;
  readonly description: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The id of the connector that this token gives a new key; null if the token creates a connector. */
  readonly reissues: string | null;
  /** Null until the token is redeemed. */
  readonly redemption: Redemption | null;
}

/** The one use of an activation token. */
export interface Redemption {
  readonly at: number;
  /** The connector's id in the attempt. The new connector has it, unless the token reissued an existing one. */
  readonly attemptId: string;
  /** Hash of the request's Idempotency-Key; null without one: such a request cannot be repeated. */
  readonly idempotencyHash: string | null;
}

/** An organization's API key. */
export interface ApiKeyRecord extends Revocable {
  /** Public id (`key_…`), safe to show and to log. */
  readonly id: string;
  readonly organization: string;
  readonly hash: string;
  readonly access: KeyAccess;
  readonly description: string | null;
  readonly createdAt: number;
  /** Null when the key does not expire. */
  readonly expiresAt: number | null;
  /** Approximate time of the last use, null before the first; see `Store.recordKeyUse`. */
  readonly lastUsedAt: number | null;
}

/** The writes of one transaction: all or nothing. A record replaces the one with its id or hash. */
export interface Changes {
  readonly apiKeys?: readonly ApiKeyRecord[];
  readonly tokens?: readonly TokenRecord[];
  readonly connectors?: readonly ConnectorRecord[];
  readonly removed?: readonly string[];
}

/** The decision of a rule on its records: the answer of the store, and the changes that it writes first. */
export interface Decision<Answer> {
  readonly answer: Answer;
  readonly write: Changes;
}

/** A decision that changes nothing. */
export function unchanged<Answer>(answer: Answer): Decision<Answer> {
  return {answer, write: {}};
}
