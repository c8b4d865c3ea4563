import type {ConnectorStatus} from '../contract/index.js';
import type {RedemptionAttempt} from '../domain/activation.js';
import type {StatusBounds} from '../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../domain/records.js';

/**
 * Who asks for a connector: an organization (by its API key), or the connector itself (by the hash
 * of its own key). Every look-up takes it, so that no query can reach over the fence.
 */
export type ConnectorScope = {readonly organization: string} | {readonly keyHash: string};

/** What redeeming a token came to; a connector comes with the two outcomes that response one. */
export type RedemptionResult =
  | {readonly outcome: 'redeemed' | 'repeated'; readonly connector: ConnectorRecord}
  | {readonly outcome: 'unknown' | 'used' | 'expired'};

/** How much a store holds. */
export interface StoreMeasure {
  readonly connectors: Readonly<Record<ConnectorStatus, number>>;
  /** What it takes on disk; null where that cannot be told. */
  readonly bytes: number | null;
}

/** Which part of the list to read: connectors with an id after `after`, at most `limit` of them. */
export interface ListRange {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/**
 * Where the reference service keeps its records. Every promise that resolves after a change means
 * that the change is durable. A method rejects with `StoreError` when the store cannot serve it; the
 * change is then not applied, nor visible to any read.
 */
export interface Store {
  /** Adds an API key. */
  createApiKey(record: ApiKeyRecord): Promise<void>;

  /**
   * Adds an API key to a store that has none, not even a revoked one: of any number of simultaneous
   * attempts one adds. @returns whether this one did
   */
  createFirstApiKey(record: ApiKeyRecord): Promise<boolean>;

  /** The API key with this hash, revoked and expired ones too. */
  findApiKey(hash: string): Promise<ApiKeyRecord | undefined>;

  /** All API keys, oldest first. */
  listApiKeys(): Promise<readonly ApiKeyRecord[]>;

  /**
   * Revokes a key at a time in milliseconds; a key revoked before keeps its time and its reason.
   * Undefined: no such key.
   */
  revokeApiKey(id: string, at: number, reason?: string | null): Promise<ApiKeyRecord | undefined>;

  /** Revokes a connector's own key, as `revokeApiKey` does. The connector stays. */
  revokeConnector(
    id: string,
    at: number,
    reason?: string | null,
  ): Promise<ConnectorRecord | undefined>;

  /** All connectors whose key was revoked, in the order of their ids. */
  listRevokedConnectors(): Promise<readonly ConnectorRecord[]>;

  /**
   * Records that a key was used at a time in milliseconds; an earlier time than the one recorded, or
   * a key that there is not, changes nothing. Callers ask for it now and then, not for each use.
   */
  recordKeyUse(id: string, at: number): Promise<void>;

  /** Adds an activation token. */
  createToken(record: TokenRecord): Promise<void>;

  /**
   * Redeems a token and creates its connector, as one: of any number of simultaneous attempts one
   * redeems. Decides by `decideRedemption`; a refused attempt changes nothing.
   */
  redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult>;

  /** The connector with this id, if the scope may see it. */
  findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined>;

  /**
   * The organization's connectors in the order of their ids, in batches, so that a list of any
   * length takes bounded memory. What changes meanwhile may be seen or not; nothing comes twice.
   */
  listConnectors(
    organization: string,
    range?: ListRange,
  ): AsyncIterable<readonly ConnectorRecord[]>;

  /**
   * Records that a connector was alive at a time in milliseconds; an earlier time than the one
   * recorded changes nothing. Undefined, and nothing recorded: the scope may not see such a connector, or
   * is its own key and that was revoked.
   */
  recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<ConnectorRecord | undefined>;

  /** What the store holds, of all organizations together. Looks at every connector: not for each request. */
  measure(bounds: StatusBounds): Promise<StoreMeasure>;

  /** 32 bytes that are the same for every process on this store, made with the store. */
  readonly serverSecret: Uint8Array;

  /** Version of the format of the records, from 1 on; each kind of store has its own. */
  readonly version: number;

  /** Resolves when reads and writes would be served now. @throws StoreError when not, and why. */
  check(): Promise<void>;

  /** Finishes what is in flight and lets go of the store; every later call rejects. */
  close(): Promise<void>;
}

/** Where a store tells what it does by itself: cuts, compactions, migrations. pino's own shape. */
export interface StoreLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What a store needs from its process. */
export interface StoreOptions {
  readonly log: StoreLog;
  /** The clock, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether to make the store when there is none. Default: yes. */
  readonly create?: boolean | undefined;
  /** Told how long each write and its sync to disk took, in seconds, by a store that syncs itself. */
  readonly onSync?: ((seconds: number) => void) | undefined;
  /** Told how long each change took until it was committed, in seconds, by a store in a database. */
  readonly onCommit?: ((seconds: number) => void) | undefined;
  /** Until when to wait for a database that is not there yet; without it there is no waiting. */
  readonly waitUntil?: AbortSignal | undefined;
}

/** Why a store cannot serve. `full` and `unavailable` may pass; all but `closed` of the others need a person. */
export type StoreErrorKind =
  | 'full'
  | 'unavailable'
  /** There is none, and none was to be made. */
  | 'missing'
  | 'damaged'
  | 'locked'
  | 'format'
  /** It is the unfinished copy of another store. */
  | 'unfinished'
  /** The operating system does not let this process read it, or write it. */
  | 'forbidden'
  /** Other users can write it. */
  | 'exposed'
  /** Its location, its login or what that is allowed to do. */
  | 'misconfigured'
  | 'closed';

/** What an interrupted copy leaves behind; it has to be removed before the next. */
export type Leftover = {readonly directory: string} | {readonly tables: readonly string[]};

/** A store's failure, in words for its operator. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;
  /** Of kind `unfinished` alone. */
  readonly leftover: Leftover | undefined;

  constructor(
    kind: StoreErrorKind,
    message: string,
    options: ErrorOptions & {readonly leftover?: Leftover} = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.leftover = options.leftover;
  }
}
