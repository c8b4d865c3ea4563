import pLimit from 'p-limit';
import {
  boundId,
  decideRedemption,
  type RedemptionAttempt,
  type RedemptionResult,
  type Reissue,
  redeemToken,
  reissueToken,
} from '../../domain/activation.js';
import type {Decision} from '../../domain/changes.js';
import {
  type ConnectorScope,
  firstKey,
  maySee,
  revokeConnector,
} from '../../domain/connector-keys.js';
import type {StatusBounds} from '../../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {type Bounds, type ListRange, type Store, StoreError, type StoreMeasure} from '../store.js';
import type {RecordBounds} from './bounds.js';
import {fileError} from './files.js';
import type {StoreRecord} from './format/records.js';
import {formatVersion} from './format/upgrades.js';
import {changeOf, Heartbeats, Removal} from './journal/changes.js';
import type {Compactor} from './journal/compactor.js';
import type {Journal} from './journal/writer.js';
import type {StoreLock} from './lock/store-lock.js';
import {type ConnectorEntry, judgeEntry, toRecord} from './state/connectors.js';
import type {State} from './state/contents.js';

/** What a JSON file store consists of. */
interface StoreComponents {
  readonly state: State;
  readonly journal: Journal;
  readonly compactor: Compactor;
  readonly lock: StoreLock;
  readonly serverSecret: Uint8Array;
  /** Undefined without bounds. */
  readonly bounds: RecordBounds | undefined;
}

/** Room that is reserved without bounds. */
const unbounded = () => {};

/** The store in a directory of JSON lines. Reads come from memory, which holds what is on disk. */
export class JsonFileStore implements Store {
  readonly serverSecret: Uint8Array;
  readonly version = formatVersion;
  readonly #components: StoreComponents;
  /** Redemptions in progress, by token; further attempts wait for their outcome. */
  readonly #redeeming = new Map<string, Promise<void>>();
  /** Runs what changes the keys of connectors or removes them, one by one: each decides on what the last one left. */
  readonly #oneByOne = pLimit(1);
  /** The latest heartbeats, which more of the same millisecond can join until they are written. */
  #openBatch: {readonly change: Heartbeats; readonly written: Promise<void>} | undefined;
  #isCreatingFirstKey = false;
  #closing: Promise<void> | undefined;

  constructor(components: StoreComponents) {
    this.#components = components;
    this.serverSecret = components.serverSecret;
  }

  get bounds(): Bounds | undefined {
    return this.#components.bounds?.perOrganization;
  }

  /** Starts every call. @throws StoreError once the store is closing */
  #opened(): StoreComponents {
    if (this.#closing !== undefined) throw closed();
    return this.#components;
  }

  #commitRecord(...records: readonly StoreRecord[]): Promise<void> {
    const {state, journal} = this.#components;
    return journal.commit(changeOf(state, ...records));
  }

  /** Commits a heartbeat together with waiting ones of the same millisecond. */
  #commitHeartbeat(connector: ConnectorEntry, at: number): Promise<void> {
    if (this.#openBatch?.change.accepts(at)) {
      this.#openBatch.change.add(connector);
    } else {
      const change = new Heartbeats(at);
      change.add(connector);
      this.#openBatch = {change, written: this.#components.journal.commit(change)};
    }
    return this.#openBatch.written;
  }

  async createApiKey(record: ApiKeyRecord): Promise<void> {
    this.#opened();
    await this.#commitRecord({type: 'apiKey', ...record});
  }

  async createFirstApiKey(record: ApiKeyRecord): Promise<boolean> {
    const {state} = this.#opened();
    if (this.#isCreatingFirstKey || state.apiKeys().length > 0) return false;
    this.#isCreatingFirstKey = true;
    try {
      await this.createApiKey(record);
    } finally {
      this.#isCreatingFirstKey = false;
    }
    return true;
  }

  async findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.#opened().state.apiKey(hash);
  }

  async listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    return this.#opened()
      .state.apiKeys()
      .sort((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1));
  }

  async revokeApiKey(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ApiKeyRecord | undefined> {
    const {state} = this.#opened();
    if (state.apiKeyById(id)?.revokedAt === null) {
      await this.#commitRecord({type: 'revocation', id, at, reason});
    }
    return state.apiKeyById(id);
  }

  async revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined> {
    const {connectors} = this.#opened().state;
    return this.#oneByOne(async () => {
      const connector = connectors.get(id);
      await this.#commitKeys(connector, revokeConnector(connector, at, reason));
      return connectors.get(id);
    });
  }

  /** Commits the keys of a connector, its revocation and its next token, as a rule has decided. */
  async #commitKeys(
    before: ConnectorRecord | undefined,
    {write}: Decision<ConnectorRecord | undefined>,
  ): Promise<void> {
    const tokens = write.tokens ?? [];
    const records: StoreRecord[] = tokens.map((token) => ({
      type: 'token',
      ...token,
      redemption: null,
    }));
    for (const after of write.connectors ?? []) {
      const {id, keyHash, endedKeyHash, reissueHash, revokedAt: at, revocationReason} = after;
      records.push({type: 'connectorKeys', id, keyHash, endedKeyHash, reissueHash});
      if (at === null || before?.revokedAt === at) continue;
      records.push({type: 'connectorRevocation', id, at, reason: revocationReason});
    }
    if (records.length > 0) await this.#commitRecord(...records);
  }

  async listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    return this.#opened().state.connectors.revoked();
  }

  async recordKeyUse(id: string, at: number): Promise<void> {
    const key = this.#opened().state.apiKeyById(id);
    if (key !== undefined && (key.lastUsedAt === null || key.lastUsedAt < at)) {
      await this.#commitRecord({type: 'keyUse', id, at});
    }
  }

  async createToken(record: TokenRecord): Promise<boolean> {
    const {organization, description, createdAt} = record;
    this.#opened().state.tokens.removeExpired(createdAt);
    const release = this.#reserve(organization, 'tokens', description);
    if (release === undefined) return false;
    const redemption = record.redemption && {...record.redemption};
    await this.#commitRecord({type: 'token', ...record, redemption}).finally(release);
    return true;
  }

  /** See `RecordBounds.reserve`. */
  #reserve(...record: Parameters<RecordBounds['reserve']>): (() => void) | undefined {
    const {bounds} = this.#components;
    return bounds === undefined ? unbounded : bounds.reserve(...record);
  }

  async redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    const {tokens} = this.#opened().state;
    const {tokenHash} = attempt;
    const reissues = tokens.get(tokenHash)?.reissues ?? null;
    if (reissues !== null) return this.#oneByOne(() => this.#redeem(attempt));
    for (;;) {
      const pending = this.#redeeming.get(tokenHash);
      if (pending === undefined) break;
      await pending;
    }
    return this.#redeem(attempt);
  }

  async #redeem(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    const {tokens, connectors} = this.#components.state;
    const closed = tokens.closedOutcome(attempt.tokenHash);
    if (closed !== undefined) return {outcome: closed};
    const token = tokens.get(attempt.tokenHash);
    const bound = connectors.get(token === undefined ? '' : boundId(token));
    const decision = decideRedemption(token, bound, attempt);
    if (token && decision === 'redeem') return this.#activate(token, attempt);
    const {answer} = redeemToken(token, bound, attempt, true);
    if (answer.outcome === 'reissued') await this.#replaceKey(answer.connector, attempt);
    return answer;
  }

  async #replaceKey(
    {id, name, keyHash, endedKeyHash, reissueHash}: ConnectorRecord,
    {tokenHash, idempotencyHash, at, connector: {id: attemptId}}: RedemptionAttempt,
  ): Promise<void> {
    const keys = {keyHash, endedKeyHash, reissueHash};
    const redemption = {tokenHash, idempotencyHash, at, attemptId};
    await this.#commitRecord({type: 'reissue', ...redemption, id, name, ...keys});
  }

  async #activate(
    {organization}: TokenRecord,
    {tokenHash, idempotencyHash, at, connector: draft}: RedemptionAttempt,
  ): Promise<RedemptionResult> {
    const connector = {...draft, organization};
    const release = this.#reserve(organization, 'connectors', connector.name);
    if (release === undefined) return {outcome: 'full'};
    const written = this.#commitRecord({
      type: 'redemption',
      tokenHash,
      idempotencyHash,
      at,
      connector,
    }).finally(release);
    const settled = written.catch(() => {});
    this.#redeeming.set(tokenHash, settled);
    try {
      await written;
    } finally {
      this.#redeeming.delete(tokenHash);
    }
    return {outcome: 'redeemed', connector: {...connector, ...firstKey}};
  }

  async reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined> {
    const {connectors} = this.#opened().state;
    return this.#oneByOne(async () => {
      const connector = connectors.get(reissue.connectorId);
      await this.#commitKeys(connector, reissueToken(connector, reissue));
      return connectors.get(reissue.connectorId);
    });
  }

  async findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    const {connectors} = this.#opened().state;
    return ids.flatMap((id) => connectors.get(id) ?? []);
  }

  async removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]> {
    const {state, journal} = this.#opened();
    return this.#oneByOne(async () => {
      const removal = new Removal(state, ids, lastHeartbeatBefore);
      await journal.commitFirst(removal);
      return removal.removed;
    });
  }

  async findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    const connector = this.#opened().state.connectors.get(id);
    return connector && maySee(connector, scope) ? connector : undefined;
  }

  async *listConnectors(
    organization: string,
    range: ListRange = {},
  ): AsyncGenerator<readonly ConnectorRecord[]> {
    yield* this.#opened().state.connectors.batches(organization, range);
  }

  async recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<ConnectorRecord | undefined> {
    const {connectors} = this.#opened().state;
    const connector = connectors.entry(id);
    if (connector === undefined) return undefined;
    if ('organization' in scope) {
      if (connector.organization !== scope.organization) return undefined;
    } else if (judgeEntry(connector, scope.keyHash) !== 'valid') return undefined;
    if (!(connector.lastHeartbeatAt >= at)) {
      await this.#commitHeartbeat(connector, at);
      // It was removed before this heartbeat was written.
      if (connectors.entry(id) !== connector) return undefined;
    }
    return toRecord(connector);
  }

  async measure(bounds: StatusBounds): Promise<StoreMeasure> {
    const {state, compactor} = this.#opened();
    const connectors = await state.connectors.count(bounds);
    return {connectors, bytes: compactor.bytes, largest: state.usage.largest()};
  }

  async check(): Promise<readonly string[]> {
    const {state, journal, lock} = this.#opened();
    await lock.verifyHeld();
    if (journal.failure !== undefined) {
      // Only a write shows whether there is room again: here one without records.
      await journal.checkRoom();
      await journal.commit(changeOf(state));
    }
    return [];
  }

  /** For `transfer.ts`, which is the only user of the store. */
  get components(): Pick<StoreComponents, 'state' | 'journal'> {
    return this.#opened();
  }

  /** Replaces all files by one snapshot, as the store does when its journal has grown. */
  async compact(): Promise<void> {
    await this.#opened().compactor.compact();
  }

  close(): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    this.#closing = this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const {journal, compactor, lock} = this.#components;
    while (this.#redeeming.size > 0) await Promise.all(this.#redeeming.values());
    await this.#oneByOne(async () => {});
    await compactor.close();
    try {
      await journal.close().finally(() => lock.release());
    } catch (error) {
      throw fileError('the store cannot be closed', error);
    }
  }
}

function closed(): StoreError {
  return new StoreError('closed', 'The store is closed.');
}
