import type {ConnectorRecord, NewConnector, TokenRecord} from './records.js';
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
  /** Hash of the key that the token gives to the connector with this id. */
  readonly keyHashOf: (connectorId: string) => string;
}

/** A token that gives a connector a new key. */
export interface Reissue {
  readonly connectorId: string;
  readonly tokenHash: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Revokes the connector's keys in the same write, at `createdAt`; null keeps them. */
  readonly revocation: {readonly reason: string | null} | null;
}

/** The token of a reissue, which belongs to the organization of its connector. */
export function reissueToken(reissue: Reissue, organization: string): TokenRecord {
  const {tokenHash: hash, connectorId: reissues, createdAt, expiresAt} = reissue;
  const description = null;
  return {hash, organization, description, createdAt, expiresAt, reissues, redemption: null};
}

/** How many days a store keeps a used token after its expiry. */
export const tokenRetentionDays = 30;

/** Milliseconds for which a store keeps an unused token after its expiry, to tell `expired` from `unknown`. */
export const unusedTokenRetention = 60 * minute;

/** The decision on an attempt. Only `redeem` (a new connector) and `reissue` (a new key) change anything. */
export type RedemptionDecision = 'redeem' | 'reissue' | 'repeat' | 'unknown' | 'used' | 'expired';

/** The connector of a token: the one that it was redeemed for, or the one that it reissues; null without one. */
export function boundId({redemption, reissues}: TokenRecord): string | null {
  return redemption?.connectorId ?? reissues;
}

/**
 * Decides on an attempt to redeem a token, in the same way for every store. `repeat` returns the same
 * connector and key again: same token, Idempotency-Key and name, within the token's lifetime, unless the key is
 * revoked or another token has replaced it. A used token is `used` even after it has expired, because that is more
 * informative; so is one of a connector that was removed.
 *
 * @param bound the connector with `boundId`; undefined without one, and when it was removed
 */
export function decideRedemption(
  token: TokenRecord | undefined,
  bound: Pick<ConnectorRecord, 'id' | 'name' | 'keyHash' | 'revokedAt'> | undefined,
  attempt: RedemptionAttempt,
): RedemptionDecision {
  if (token === undefined) return 'unknown';
  const isAlive = attempt.at < token.expiresAt;
  if (token.redemption === null) {
    if (token.reissues !== null && bound === undefined) return 'used';
    if (isAlive) return token.reissues === null ? 'redeem' : 'reissue';
    // The same answer whether or not the store has removed it yet.
    return attempt.at < token.expiresAt + unusedTokenRetention ? 'expired' : 'unknown';
  }
  const {idempotencyHash} = token.redemption;
  const isSame =
    idempotencyHash !== null &&
    attempt.idempotencyHash !== null &&
    hashesEqual(idempotencyHash, attempt.idempotencyHash) &&
    bound?.name === attempt.connector.name &&
    bound.revokedAt === null &&
    hashesEqual(bound.keyHash, attempt.keyHashOf(bound.id));
  return isSame && isAlive ? 'repeat' : 'used';
}

/**
 * Whether the expiry of a new activation token differs from the requested lifetime. Uses the service's
 * clock, so that a wrong local clock causes no warning.
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
  // Half of a short lifetime is a difference already.
  return Math.abs(lifetime - seconds * 1000) > Math.min(clockTolerance, seconds * 500);
}
