import type {NewConnector, TokenRecord} from './records.js';
import {hashesEqual} from './secret.js';
import {clockTolerance} from './time.js';

/** An attempt to redeem an activation token. */
export interface RedemptionAttempt {
  readonly tokenHash: string;
  /** Hash of the Idempotency-Key, or null without one. */
  readonly idempotencyHash: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The connector to create; its organization is set from the token. */
  readonly connector: Omit<NewConnector, 'organization'>;
}

/** How many days a store remembers a token after it expired, spent or not. */
export const tokenRetentionDays = 30;

/** What an attempt may come to. Only `redeem` changes anything. */
export type RedemptionDecision = 'redeem' | 'repeat' | 'unknown' | 'used' | 'expired';

/**
 * Decides what an attempt to redeem a token comes to. Pure, so that every store decides alike.
 * `repeat` answers the same connector again: same token, Idempotency-Key and name, within the
 * token's lifetime (design §4). A used token is `used` even after it expired: that says more.
 */
export function decideRedemption(
  token: TokenRecord | undefined,
  connectorName: string | undefined,
  attempt: RedemptionAttempt,
): RedemptionDecision {
  if (token === undefined) return 'unknown';
  const alive = attempt.at < token.expiresAt;
  if (token.redemption === null) return alive ? 'redeem' : 'expired';
  const {idempotencyHash} = token.redemption;
  const same =
    idempotencyHash !== null &&
    attempt.idempotencyHash !== null &&
    hashesEqual(idempotencyHash, attempt.idempotencyHash) &&
    connectorName === attempt.connector.name;
  return same && alive ? 'repeat' : 'used';
}

/**
 * Whether a new activation token's expiry does not fit the lifetime that was asked for. Judged by
 * the service's own clock, so that a wrong one here raises no alarm.
 *
 * @param token `serverTime`: when the service answered; without it nothing can be judged
 * @param seconds the lifetime that was asked for
 */
export function ignoresLifetime(
  token: {readonly expiresAt: Date; readonly serverTime: Date | undefined},
  seconds: number,
): boolean {
  if (token.serverTime === undefined) return false;
  const lifetime = token.expiresAt.getTime() - token.serverTime.getTime();
  // A short lifetime leaves less room: half of it is then already another lifetime.
  return Math.abs(lifetime - seconds * 1000) > Math.min(clockTolerance, seconds * 500);
}
