import type {ConnectorStatus} from '../contract/index.js';
import type {RedemptionAttempt, RedemptionResult, Reissue} from '../domain/activation.js';
import type {Changes} from '../domain/changes.js';
import type {ConnectorScope} from '../domain/connector-keys.js';
import type {StatusBounds} from '../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../domain/records.js';

/** How many records one organization may have. */
export interface Bounds {
  /** Unused activation tokens, also those that expired in the last hour; not those for a new key of a connector. */
  readonly tokens: number;
  readonly connectors: number;
}

/** What a heartbeat leaves of its connector: enough for the response. */
export type HeartbeatRecord = Pick<ConnectorRecord, 'id' | 'lastHeartbeatAt' | 'revokedAt'>;

/** How much a store holds. */
export interface StoreMeasure {
  readonly connectors: Readonly<Record<ConnectorStatus, number>>;
  /** Size on disk; null when it is unknown. */
  readonly bytes: number | null;
  /** The most unused tokens, and the most connectors, of one organization. */
  readonly largest: Bounds;
}

/** A part of the list: at most `limit` connectors with ids after `after`. */
export interface ListRange {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

type Awaitable<T> = T | Promise<T>;

/**
 * How every change of a store is made. An operation calls `write((tx) => …)`: it reads the records that matter through
 * `tx`, passes them to a rule of `src/domain`, writes what the rule decides (`Decision.write`), and returns its answer.
 * No store decides anything itself. `tx` sees every earlier change, and nobody changes what it has read until it ends.
 *
 * The JSON file store decides a batch of such functions one after the other, without a pause, then writes and syncs all
 * of their changes as one line; until then no read outside sees them. PostgreSQL runs `BEGIN`, reads with
 * `SELECT … FOR UPDATE`, writes, and commits. It may run a function again, even one whose commit had no answer: every
 * rule then comes to the same end.
 */
export interface Transaction {
  apiKey(id: string): Awaitable<ApiKeyRecord | undefined>;
  hasApiKeys(): Awaitable<boolean>;
  token(hash: string): Awaitable<TokenRecord | undefined>;
  /** Undefined for an unknown or empty id too. */
  connector(id: string): Awaitable<ConnectorRecord | undefined>;
  /**
   * Whether an organization may have one more record. A store may exceed a bound by a few.
   *
   * @param text of variable length in the record
   */
  hasRoom(organization: string, kind: keyof Bounds, text: string | null): Awaitable<boolean>;
  write(changes: Changes): Awaitable<void>;
}

/**
 * Where the reference service keeps its records. When the promise of a change resolves, the change is
 * durable. A method rejects with `StoreError` when the store cannot serve it; the change is then
 * neither applied nor visible to any read.
 */
export interface Store {
  /** Adds an API key. */
  createApiKey(record: ApiKeyRecord): Promise<void>;

  /**
   * Adds an API key to a store that has none, not even a revoked one. Of any number of simultaneous
   * attempts, one succeeds. @returns whether this one did
   */
  createFirstApiKey(record: ApiKeyRecord): Promise<boolean>;

  /** The API key with this hash, also when it is revoked or expired. */
  findApiKey(hash: string): Promise<ApiKeyRecord | undefined>;

  /** All API keys, oldest first. */
  listApiKeys(): Promise<readonly ApiKeyRecord[]>;

  /**
   * Revokes a key at a time in milliseconds. A key that is revoked already keeps its time and reason.
   * @returns undefined for an unknown key
   */
  revokeApiKey(id: string, at: number, reason: string | null): Promise<ApiKeyRecord | undefined>;

  /**
   * Revokes a connector's own key, as `revokeApiKey` does, and closes a token for a new one (`reissueToken`), each
   * time. The connector stays.
   */
  revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined>;

  /** All connectors whose key is revoked, in the order of their ids. */
  listRevokedConnectors(): Promise<readonly ConnectorRecord[]>;

  /**
   * Records that a key was used at a time in milliseconds. An earlier time than the recorded one, or an
   * unknown key, changes nothing. Callers record a use now and then, not every one.
   */
  recordKeyUse(id: string, at: number): Promise<void>;

  /** Adds an activation token, unless its organization has too many. @returns whether it did */
  createToken(record: TokenRecord): Promise<boolean>;

  /**
   * Redeems a token and creates its connector, or replaces the key of its connector (`replaceKey`), atomically. Only
   * one of several simultaneous attempts succeeds; a refused attempt changes nothing.
   */
  redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult>;

  /**
   * Adds a token that gives a connector a new key, and closes an earlier one that is still open: any further attempt
   * with that is `used`. Both or neither; it does not count toward the bounds.
   *
   * @returns the connector; undefined, with nothing changed, when there is none with this id
   */
  reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined>;

  /** The connectors with these ids, at most `removalBatch`, of any organization and in any order. */
  findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]>;

  /**
   * Removes connectors of any organization, all of them or none, and closes their tokens: any further attempt with
   * one is `used`. Nothing of a removed connector is visible from then on.
   *
   * @param ids at most `removalBatch`; unknown ones are left out
   * @param lastHeartbeatBefore removes only those that are silent since then (`isSilentSince`) at the moment of the
   *   removal, in milliseconds since the Unix epoch; null removes all
   * @returns the connectors that were removed, in any order
   */
  removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]>;

  /** The connector with this id, if the scope may see it (`maySee`). */
  findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined>;

  /**
   * The organization's connectors in the order of their ids, in batches, so that a list of any
   * length takes bounded memory. It may or may not show concurrent changes; nothing comes twice.
   */
  listConnectors(
    organization: string,
    range?: ListRange,
  ): AsyncIterable<readonly ConnectorRecord[]>;

  /**
   * Records that a connector was alive at a time in milliseconds. An earlier time than the recorded
   * one changes nothing.
   *
   * @returns undefined, with nothing recorded, when the scope may not record it (`mayRecord`)
   */
  recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<HeartbeatRecord | undefined>;

  /** How much the store holds, over all organizations. Visits every connector: not for each request. */
  measure(bounds: StatusBounds): Promise<StoreMeasure>;

  /** The bounds in force; undefined without any. Reaching one removes nothing, and stops only what is new. */
  readonly bounds: Bounds | undefined;

  /** 32 bytes, created with the store and the same for every process that uses it. */
  readonly serverSecret: Uint8Array;

  /** Version of the format of the records, from 1 on; each kind of store has its own. */
  readonly version: number;

  /**
   * Resolves when the store can serve reads and writes, with warnings for the operator: sentences that
   * any caller may read.
   *
   * @throws StoreError with the reason when it cannot
   */
  check(): Promise<readonly string[]>;

  /** Finishes the calls in flight and releases the store; every later call rejects. */
  close(): Promise<void>;
}

/** Where a store logs what it does on its own, such as compactions and migrations. A pino logger fits. */
export interface StoreLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface StoreOptions {
  readonly log: StoreLog;
  /** The clock, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether to create the store when there is none. Default: true. */
  readonly create?: boolean | undefined;
  /** Default: none. A store that keeps its records in memory lowers them to what the heap has room for. */
  readonly bounds?: Bounds | undefined;
  /** Called with the duration of each write and its sync, in seconds, by a store that syncs files. */
  readonly onSync?: ((seconds: number) => void) | undefined;
  /** Called with the duration of each commit, in seconds, by a store in a database. */
  readonly onCommit?: ((seconds: number) => void) | undefined;
  /** Wait for an unavailable database until this aborts. Default: do not wait. */
  readonly waitUntil?: AbortSignal | undefined;
}

/** The reason that a store cannot serve. `full` and `unavailable` may pass; the others, but for `closed`, need an operator. */
export type StoreErrorKind =
  | 'full'
  | 'unavailable'
  /** There is no store, and `create` is false. */
  | 'missing'
  | 'damaged'
  /** The heap of this process has no room for more records. */
  | 'too-large'
  | 'locked'
  | 'format'
  /** It is the unfinished copy of another store. */
  | 'unfinished'
  /** The operating system does not allow this process to read or write it. */
  | 'forbidden'
  /** Other users can write to it. */
  | 'exposed'
  /** Its location, its login or the permissions of that login are wrong. */
  | 'misconfigured'
  | 'closed';

/** What an interrupted copy to a directory leaves behind. It has to be removed before the next copy. */
export type Leftover = {readonly directory: string};

interface StoreErrorOptions extends ErrorOptions {
  readonly leftover?: Leftover;
  readonly publicDetail?: string;
}

/** A store's error, with a message for its operator. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;
  /** Only of kind `unfinished`. */
  readonly leftover: Leftover | undefined;
  /** A message for any caller, without addresses. */
  readonly publicDetail: string | undefined;

  constructor(kind: StoreErrorKind, message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.leftover = options.leftover;
    this.publicDetail = options.publicDetail;
  }
}
