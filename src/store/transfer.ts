import {tokenRetentionDays} from '../domain/activation.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../domain/records.js';
import {day} from '../domain/time.js';

/** A token whose time is over: all that is left of it is what further attempts are answered. */
export interface ClosedToken {
  readonly hash: string;
  readonly outcome: 'used' | 'expired';
  /** The beginning of the day (UTC) on which it expired, in milliseconds, and not later than now. */
  readonly expiresAt: number;
}

/** A record as it moves from one store to another. */
export type TransferRecord =
  | ({readonly type: 'apiKey'} & ApiKeyRecord)
  | ({readonly type: 'token'} & TokenRecord)
  | ({readonly type: 'closedToken'} & ClosedToken)
  | ({readonly type: 'connector'} & ConnectorRecord);

/** The sections in which records move, each in the order of its keys. */
export const sections = ['apiKeys', 'tokens', 'connectors'] as const;
export type Section = (typeof sections)[number];

/** A store that nobody else uses, to be read whole. Every method rejects with `StoreError`. */
export interface TransferSource {
  readonly serverSecret: Uint8Array;

  /** At most `limit` records of a section whose keys come after `after`, in the order of their keys. */
  read(section: Section, after: string, limit: number): Promise<readonly TransferRecord[]>;

  close(): Promise<void>;
}

/** A store that is being filled, and then read. Until it is finished nobody can open it as a store. */
export interface TransferTarget extends TransferSource {
  /** Writes records of one section, durably. All writes come before the first read. */
  write(records: readonly TransferRecord[]): Promise<void>;

  /** Makes it a store, and closes it. */
  finish(): Promise<void>;
}

/** Tokens that expired before this time are forgotten, and do not move. @param now milliseconds */
export function forgottenBefore(now: number): number {
  return (Math.floor(now / day) - tokenRetentionDays) * day;
}

/**
 * A token as it moves: one that can no longer be redeemed is closed, so that a store which keeps
 * more of it and one which keeps less say the same.
 *
 * @param now milliseconds since the Unix epoch
 */
export function moveToken(token: TokenRecord, now: number): TransferRecord {
  if (now < token.expiresAt) return {type: 'token', ...token};
  const outcome = token.redemption === null ? 'expired' : 'used';
  return closeToken({hash: token.hash, outcome, expiresAt: token.expiresAt}, now);
}

/** A token that its store calls closed, also while its clock is behind the expiry. */
export function closeToken(
  {hash, outcome, expiresAt}: ClosedToken,
  now: number,
): TransferRecord & {readonly type: 'closedToken'} {
  const closedAt = Math.floor(Math.min(expiresAt, now) / day) * day;
  return {type: 'closedToken', hash, outcome, expiresAt: closedAt};
}

/** What a record is ordered by. */
export function keyOf(record: TransferRecord): string {
  return record.type === 'token' || record.type === 'closedToken' ? record.hash : record.id;
}
