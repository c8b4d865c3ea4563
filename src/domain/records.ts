/**
 * What a store keeps. Times are milliseconds since the Unix epoch, hashes are those of
 * `domain/secret.ts`; no record holds a secret.
 */

/** An activated connector. Its status is derived when read, never stored. */
export interface ConnectorRecord {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly keyHash: string;
  readonly activatedAt: number;
  /** Null before the first heartbeat. Never goes backwards. */
  readonly lastHeartbeatAt: number | null;
}

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
export interface ApiKeyRecord {
  /** Public id (`key_…`), safe to show and to log. */
  readonly id: string;
  readonly organization: string;
  readonly hash: string;
  readonly description: string | null;
  readonly createdAt: number;
  /** Null when the key does not expire. */
  readonly expiresAt: number | null;
  /** Null while the key is live. */
  readonly revokedAt: number | null;
  /** About when the key was last accepted, null before the first time; see `Store.recordKeyUse`. */
  readonly lastUsedAt: number | null;
}
