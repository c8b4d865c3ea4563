import {boundId} from '../domain/activation.js';
import type {ApiKeyRecord, Changes, ConnectorRecord, TokenRecord} from '../domain/records.js';
import type {StoreOptions} from './store.js';

/** The sections of a transfer. */
export const sections = ['apiKeys', 'tokens', 'connectors'] as const;
export type Section = (typeof sections)[number];

/** A record as it moves from one store to another. */
export type TransferRecord = ApiKeyRecord | ConnectorRecord | TokenRecord;

/** Reads all records of a section in batches, in any order; of the tokens those that `mayMatter`. */
type Read = (section: Section) => AsyncIterable<readonly TransferRecord[]>;

/** A store that is read as a whole and not otherwise in use. Every method rejects with `StoreError`. */
export interface TransferSource {
  readonly serverSecret: Uint8Array;
  readonly read: Read;
  close(): Promise<void>;
}

/** A store that is being filled. */
export interface TransferTarget {
  write(changes: Changes): Promise<void>;
  /** Reads the records back from the disk or the database; no write follows. */
  readonly read: Read;
}

/** The interface of a store for copies. */
export interface Transfer {
  /** @throws StoreError when there is no store, or another process uses it */
  openSource(location: string, options: StoreOptions): Promise<TransferSource>;

  /**
   * Creates a store and fills it. The store exists when this resolves, and does not if this rejects.
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

/**
 * Whether a token may still be redeemed, or its redemption repeated. A copy leaves out all others, of which stores keep
 * different details: it refuses them as `unknown`.
 *
 * @param isThere whether there is a connector with an id
 * @param now milliseconds since the Unix epoch
 */
export function mayMatter(
  token: TokenRecord,
  isThere: (connectorId: string) => boolean,
  now: number,
): boolean {
  const id = boundId(token);
  return now < token.expiresAt && (id === '' || isThere(id));
}
