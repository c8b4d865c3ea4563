/**
 * What a store keeps. Times are milliseconds since the Unix epoch, hashes are those of
 * `domain/secret.ts`; no record holds a secret.
 */

/** When a key was revoked, and why in its operator's words; both null while the key is live. */
export interface Revocable {
  readonly revokedAt: number | null;
  readonly revocationReason: string | null;
}

/** A key that was not revoked. */
export const notRevoked: Revocable = {revokedAt: null, revocationReason: null};

/** A connector as its activation makes it. */
export interface NewConnector {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly keyHash: string;
  readonly activatedAt: number;
  /** Null before the first heartbeat. Never goes backwards. */
  readonly lastHeartbeatAt: number | null;
}

/** An activated connector; it stays when its own key is revoked. Its status is derived when read, never stored. */
export interface ConnectorRecord extends NewConnector, Revocable {}

/** An activation token and, once it is used, what it was used for. */
export interface TokenRecord {
  readonly hash: string;
  readonly organization: string;
  readonly description: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Null until the token is redeemed. */
  readonly redemption: Redemption | null;
}

/** The one use of an activation token. */
export interface Redemption {
  readonly at: number;
  readonly connectorId: string;
  /** Hash of the request's Idempotency-Key; null when it had none, and then nothing can repeat it. */
  readonly idempotencyHash: string | null;
}

/** An organization's API key. */
export interface ApiKeyRecord extends Revocable {
  /** Public id (`key_…`), safe to show and to log. */
  readonly id: string;
  readonly organization: string;
  readonly hash: string;
  readonly description: string | null;
  readonly createdAt: number;
  /** Null when the key does not expire. */
  readonly expiresAt: number | null;
  /** About when the key was last accepted, null before the first time; see `Store.recordKeyUse`. */
  readonly lastUsedAt: number | null;
}
