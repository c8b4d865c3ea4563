import {boundId, tokenRetentionDays} from '../domain/activation.js';
import type {Changes} from '../domain/changes.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../domain/records.js';
import {day} from '../domain/time.js';
import type {StoreOptions} from './store.js';

/** The sections of a transfer. Connectors come first: a token whose connector is not there is closed. */
export const sections = ['apiKeys', 'connectors', 'tokens'] as const;
export type Section = (typeof sections)[number];

/** A record as it moves from one store to another. */
export type TransferRecord = ApiKeyRecord | ConnectorRecord | TokenRecord;

/** A store that is read as a whole and not otherwise in use. Every method rejects with `StoreError`. */
export interface TransferSource {
  readonly serverSecret: Uint8Array;

  /** All records of a section in batches, in any order. */
  read(section: Section): AsyncIterable<readonly TransferRecord[]>;

  close(): Promise<void>;
}

/** A store that is being filled. */
export interface TransferTarget {
  write(changes: Changes): Promise<void>;

  /** Ends the writing. */
  settle(): Promise<void>;

  /** Reads what was written back from the disk or the database, as a source is read. */
  read: TransferSource['read'];
}

/** What a kind of store offers to copies. */
export interface Transfer {
  /** @throws StoreError when there is no store, or another process uses it */
  openSource(location: string, options: StoreOptions): Promise<TransferSource>;

  /**
   * Creates a store and fills it. It is there when this resolves, and not at all if this rejects.
   *
   * @throws StoreError when there is a store already
   */
  createCopy<Result>(
    location: string,
    serverSecret: Uint8Array,
    options: StoreOptions,
    fill: (target: TransferTarget) => Promise<Result>,
  ): Promise<Result>;
}

/** What is left of a closed token: just enough to be used. */
export function closedToken(hash: string, expiresAt: number): TokenRecord {
  const redemption = {at: expiresAt, attemptId: '', idempotencyHash: null};
  const unknown = {organization: '', description: null, reissues: null};
  return {hash, ...unknown, createdAt: expiresAt, expiresAt, redemption};
}

/**
 * The record of a token in a copy; none if it has expired unused, or is forgotten. Stores keep different details of a
 * used token that has expired, so it is closed, with the day of its expiry: otherwise a store and its copy would differ.
 *
 * @param isThere whether there is a connector with an id; the token of a removed one is closed
 * @param now milliseconds since the Unix epoch
 */
export function moveToken(
  token: TokenRecord,
  isThere: (connectorId: string) => boolean,
  now: number,
): readonly TokenRecord[] {
  const {hash, expiresAt, redemption} = token;
  const isForgotten = expiresAt < (Math.floor(now / day) - tokenRetentionDays) * day;
  if (isForgotten) return [];
  const id = boundId(token);
  const isClosed = redemption?.attemptId === '' || !(id === '' || isThere(id));
  if (!isClosed && now < expiresAt) return [token];
  if (!isClosed && redemption === null) return [];
  // Not later than now, even if the clock was set back after its store has closed it.
  return [closedToken(hash, Math.floor(Math.min(expiresAt, now) / day) * day)];
}
