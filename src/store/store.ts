import type {ConnectorStatus} from '../contract/index.js';
import {
  boundId,
  type ConnectorScope,
  createFirstApiKey,
  createToken,
  type RedeemResult,
  type RedemptionAttempt,
  type Reissue,
  recordKeyUse,
  redeemToken,
  reissueToken,
  revokeApiKey,
  revokeConnector,
  validityOf,
} from '../domain/activation.js';
import type {StatusBounds} from '../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, Decision, TokenRecord} from '../domain/records.js';
import {removeConnectors} from '../domain/removal.js';
import type {Sender} from '../domain/senders.js';

/** The maximum number of records of one organization, by kind. */
export interface Bounds {
  /** Unused activation tokens, including those expired in the last hour, without those for a connector's new key. */
  readonly tokens: number;
  readonly connectors: number;
}

/** The connector after a heartbeat: the fields that the response needs. */
export type HeartbeatRecord = Pick<ConnectorRecord, 'id' | 'lastHeartbeatAt' | 'revokedAt'>;

/** Measurements of a store, over all organizations. */
export interface StoreMeasure {
  readonly connectors: Readonly<Record<ConnectorStatus, number>>;
  /** Size on disk in bytes; null when unknown. */
  readonly bytes: number | null;
  /** The most unused tokens, and the most connectors, of any one organization. */
  readonly largest: Bounds;
}

/** A range of a list: at most `limit` connectors whose ids sort after `after`. */
export interface ListRange {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

type Awaitable<T> = T | Promise<T>;

/** Reads and changes records of a store within one isolated transaction. */
export interface Transaction {
  apiKey(id: string): Awaitable<ApiKeyRecord | undefined>;
  hasApiKeys(): Awaitable<boolean>;
  token(hash: string): Awaitable<TokenRecord | undefined>;
  /** Undefined for an unknown or empty id. */
  connector(id: string): Awaitable<ConnectorRecord | undefined>;
  /** The existing connectors with these ids. */
  connectors(ids: readonly string[]): Awaitable<readonly ConnectorRecord[]>;
  /** Whether an organization may have one more record. A store may exceed a bound; see `OrganizationBounds`. */
  hasRoom(organization: string, kind: keyof Bounds): Awaitable<boolean>;
}

/** Reads the records that a change depends on, and decides the change by a rule of `src/domain`. */
export type Decide<Answer> = (tx: Transaction) => Promise<Decision<Answer>>;

/**
 * The records of the reference service. When the promise of a change resolves, the change is durable. A method rejects
 * with `StoreError` when the store cannot serve it; the change is then not applied, unless the response to a commit was
 * lost or the end of the file is unknown.
 *
 * This class decides the changes in the same way for every kind of store; each kind runs the transactions. The JSON
 * file store decides a batch of changes one after the other, then writes and syncs all as one line; until then no read
 * outside the batch sees them. PostgreSQL runs `BEGIN`, reads with `SELECT … FOR UPDATE`, writes, and commits. Without
 * a response to a commit it decides again, with the same outcome, except that it may refuse a token at the bound.
 */
export abstract class Store {
  /** The bounds in force; undefined for none. A reached bound removes no records, and prevents only new ones. */
  abstract readonly bounds: Bounds | undefined;

  /** 32 bytes, created with the store and the same for every process that uses it. */
  abstract readonly serverSecret: Uint8Array;

  /** Version of the record format; each kind of store counts its own from 1. */
  abstract readonly version: number;

  readonly #inFlight = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Writes a decision, all or nothing, and returns the answer once it is durable. */
  protected abstract transact<Answer>(decide: Decide<Answer>): Promise<Answer>;

  /** Releases the resources of the store. Called once, when no operation of `run` is in flight. */
  protected abstract release(): Promise<void>;

  /** @throws StoreError once the store is closing */
  protected requireOpen(): void {
    if (this.#isClosed) throw new StoreError('closed', 'The store is closed.');
  }

  /** Runs an operation that `close` waits for. */
  protected async run<T>(operation: () => Promise<T>): Promise<T> {
    this.requireOpen();
    const running = operation();
    this.#inFlight.add(running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  #write<Answer>(decide: Decide<Answer>): Promise<Answer> {
    return this.run(() => this.transact(decide));
  }

  createApiKey(record: ApiKeyRecord): Promise<void> {
    return this.#write(async () => ({answer: undefined, write: {apiKeys: [record]}}));
  }

  /**
   * Adds an API key to a store that has none, not even a revoked one. Of any number of simultaneous attempts, one
   * succeeds. @returns whether this attempt succeeded
   */
  createFirstApiKey(record: ApiKeyRecord): Promise<boolean> {
    return this.#write(async (tx) => {
      // After a commit without a response, the second decision finds the key that the first one added.
      const hasOther = (await tx.hasApiKeys()) && (await tx.apiKey(record.id)) === undefined;
      return createFirstApiKey(record, hasOther);
    });
  }

  /** The API key with this hash, also when it is revoked or expired. */
  abstract findApiKey(hash: string): Promise<ApiKeyRecord | undefined>;

  /** All API keys, oldest first. */
  abstract listApiKeys(): Promise<readonly ApiKeyRecord[]>;

  /**
   * Revokes a key at a time in milliseconds. A key that is revoked already keeps its time and reason.
   * @returns undefined for an unknown key
   */
  revokeApiKey(id: string, at: number, reason: string | null): Promise<ApiKeyRecord | undefined> {
    return this.#write(async (tx) => revokeApiKey(await tx.apiKey(id), at, reason));
  }

  /**
   * Revokes a connector's own key, as `revokeApiKey` does. Each call also closes the connector's unused token from
   * `reissueToken`. The connector itself stays.
   */
  revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined> {
    return this.#write(async (tx) => revokeConnector(await tx.connector(id), at, reason));
  }

  /** All connectors whose key is revoked, in the order of their ids. */
  abstract listRevokedConnectors(): Promise<readonly ConnectorRecord[]>;

  /**
   * Records that a key was used at a time in milliseconds. An earlier time than the recorded one, or an unknown key,
   * changes nothing. Callers need not record every use.
   */
  recordKeyUse(id: string, at: number): Promise<void> {
    return this.#write(async (tx) => recordKeyUse(await tx.apiKey(id), at));
  }

  /** Adds an activation token, unless its organization has reached its bound. @returns whether the token was added */
  createToken(record: TokenRecord): Promise<boolean> {
    const {organization} = record;
    return this.#write(async (tx) => createToken(record, await tx.hasRoom(organization, 'tokens')));
  }

  /**
   * Redeems a token and creates its connector, or replaces the key of its connector (`replaceKey`), atomically. Only
   * one of several simultaneous attempts succeeds, with its repetitions; a refused attempt changes nothing.
   */
  redeemToken(attempt: RedemptionAttempt): Promise<RedeemResult> {
    return this.#write(async (tx) => {
      const token = await tx.token(attempt.tokenHash);
      const bound = token && (await tx.connector(boundId(token)));
      const isOpen = token?.redemption === null && token.reissues === null;
      const hasRoom = isOpen && (await tx.hasRoom(token.organization, 'connectors'));
      return redeemToken(token, bound, attempt, hasRoom);
    });
  }

  /**
   * Adds a token that gives a connector a new key, and atomically closes an earlier unused one: later attempts to
   * redeem that one are `used` until `tokenRetention` ends. The new token does not count toward the bounds.
   *
   * @returns the connector; undefined, with nothing changed, when there is none with this id
   */
  reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined> {
    return this.#write(async (tx) =>
      reissueToken(await tx.connector(reissue.connectorId), reissue),
    );
  }

  /**
   * Removes connectors of any organization, all of them or none, and closes their tokens: later attempts to redeem
   * one are `used` until `tokenRetention` ends. No later read shows a removed connector.
   *
   * @param ids at most `removalBatch`; unknown ones are left out
   * @param lastHeartbeatBefore a time in milliseconds since the Unix epoch: removes only connectors that are silent
   *   since then (`isSilentSince`) at the moment of the removal; null removes all
   * @returns the connectors that were removed, in any order
   */
  removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]> {
    /** Includes connectors that were removed by a commit without a response. */
    const removed = new Map<string, ConnectorRecord>();
    return this.#write(async (tx) => {
      const found = await tx.connectors(ids);
      for (const {id} of found) removed.delete(id);
      const {answer, write} = removeConnectors(found, lastHeartbeatBefore);
      for (const connector of answer) removed.set(connector.id, connector);
      return {answer: [...removed.values()], write};
    });
  }

  /** The connectors with these ids, at most `removalBatch`, of any organization and in any order. */
  abstract findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]>;

  /** The connector with this id, if the scope may see it (`validityOf`). */
  async findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    const [found] = await this.findConnectors([id]);
    return found && validityOf(found, scope) !== 'unknown' ? found : undefined;
  }

  /**
   * The organization's connectors in the order of their ids, in batches, so that a list of any length takes bounded
   * memory. It may or may not show concurrent changes; no connector appears twice.
   */
  abstract listConnectors(
    organization: string,
    range?: ListRange,
  ): AsyncIterable<readonly ConnectorRecord[]>;

  /**
   * Records that a connector was alive at a time in milliseconds. An earlier time than the recorded one changes
   * at most the senders.
   *
   * @param sender the process that sent the heartbeat, if the request names it; see `sentBy`
   * @returns undefined, with nothing recorded, when the scope may not record it (`validityOf`)
   */
  abstract recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
    sender?: Sender,
  ): Promise<HeartbeatRecord | undefined>;

  /** Measures the store over all organizations. Too slow for every request: it visits every connector. */
  abstract measure(bounds: StatusBounds): Promise<StoreMeasure>;

  /** Resolves when the store can serve reads and writes. @throws StoreError with the reason when it cannot */
  abstract check(): Promise<void>;

  /** Waits for the operations of `run`, and releases the store; every later call rejects. */
  async close(): Promise<void> {
    this.requireOpen();
    this.#isClosed = true;
    await Promise.allSettled(this.#inFlight);
    await this.release();
  }
}

/** Log of a store's own work, such as compactions. A pino logger fits. */
export type StoreLog = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (details: object, message: string) => void>
>;

export interface StoreOptions {
  readonly log: StoreLog;
  /** The clock, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether to create the store when there is none. Default: true. */
  readonly create?: boolean | undefined;
  /** Default: none. */
  readonly bounds?: Bounds | undefined;
  /** Called with the duration of each write and its sync, or of each transaction, in seconds. */
  readonly onWrite?: ((seconds: number) => void) | undefined;
  /** Wait for an unavailable database until this aborts. Default: do not wait. */
  readonly waitUntil?: AbortSignal | undefined;
}

/** The kind of an error. `full`, `locked` and `unavailable` may pass; the others, except `closed`, need an operator. */
export type StoreErrorKind =
  | 'full'
  | 'unavailable'
  /** There is no store, and this call creates none. */
  | 'missing'
  | 'damaged'
  | 'locked'
  | 'format'
  /** It belongs to another user, or the operating system denies access. */
  | 'forbidden'
  /** Other users can write to it. */
  | 'exposed'
  /** Its location, login, permissions, certificate, pooler or encoding is wrong. */
  | 'misconfigured'
  | 'closed';

/** A store's error, with a message for its operator. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
