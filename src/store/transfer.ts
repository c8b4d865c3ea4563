import {tokenRetentionDays} from '../domain/activation.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../domain/records.js';
import {day} from '../domain/time.js';

/** A used token that has expired, reduced to the outcome of further attempts. */
interface ClosedToken {
  readonly hash: string;
  readonly outcome: 'used';
  /** The beginning of the day (UTC) on which it expired, in milliseconds, and not later than now. */
  readonly expiresAt: number;
}

/** A record as it moves from one store to another. */
export type TransferRecord =
  | ({readonly type: 'apiKey'} & ApiKeyRecord)
  | ({readonly type: 'token'} & TokenRecord)
  | ({readonly type: 'closedToken'} & ClosedToken)
  | ({readonly type: 'connector'} & ConnectorRecord);

/** The sections of a transfer. Connectors come first: a token whose connector is not there is closed. */
export const sections = ['apiKeys', 'connectors', 'tokens'] as const;
export type Section = (typeof sections)[number];

/** A store that is read as a whole and not otherwise in use. Every method rejects with `StoreError`. */
export interface TransferSource {
  readonly serverSecret: Uint8Array;

  /** All records of a section in batches, in any order. */
  read(section: Section): AsyncIterable<readonly TransferRecord[]>;

  close(): Promise<void>;
}

/** A store that is being filled. It cannot be opened as a store before it is finished. */
export interface TransferTarget extends Pick<TransferSource, 'close'> {
  /** Writes records of one section. */
  write(records: readonly TransferRecord[]): Promise<void>;

  /** Makes all records durable; none is written after it. */
  commit(): Promise<void>;

  /** Reads what was committed back from the disk or the database, as a source is read. */
  read: TransferSource['read'];

  /** Completes the store and closes it. */
  finish(): Promise<void>;
}

/** Used tokens that expired before this time are removed, and not copied. @param now milliseconds */
export function forgottenBefore(now: number): number {
  return (Math.floor(now / day) - tokenRetentionDays) * day;
}

/**
 * The records of a token in a copy: none if it has expired unused. Stores keep different details of a used token
 * that has expired, so it is reduced to a closed one: otherwise a store and its copy would differ.
 *
 * @param now milliseconds since the Unix epoch
 */
export function moveToken(token: TokenRecord, now: number): readonly TransferRecord[] {
  const {hash, expiresAt, redemption} = token;
  // Removing its connector leaves only the hash and the outcome of a token.
  const isClosed = redemption?.attemptId === '';
  if (now < expiresAt && !isClosed) return [{type: 'token', ...token}];
  return redemption === null ? [] : [closeToken({hash, outcome: 'used', expiresAt}, now)];
}

/** A token that its store has closed, even if the clock is now behind the expiry. */
export function closeToken(
  {hash, outcome, expiresAt}: ClosedToken,
  now: number,
): TransferRecord & {readonly type: 'closedToken'} {
  const closedAt = Math.floor(Math.min(expiresAt, now) / day) * day;
  return {type: 'closedToken', hash, outcome, expiresAt: closedAt};
}
