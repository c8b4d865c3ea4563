import {
  boundId,
  createToken,
  type RedemptionAttempt,
  type RedemptionResult,
  type Reissue,
  redeemToken,
  reissueToken,
} from '../../domain/activation.js';
import type {Decision} from '../../domain/changes.js';
import {
  type ConnectorScope,
  createFirstApiKey,
  mayRecord,
  maySee,
  recordKeyUse,
  revokeApiKey,
  revokeConnector,
} from '../../domain/connector-keys.js';
import type {StatusBounds} from '../../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {removeConnectors} from '../../domain/removal.js';
import {type Bounds, type ListRange, type Store, StoreError, type StoreMeasure} from '../store.js';
import type {Batch} from './batch.js';
import type {RecordBounds} from './bounds.js';
import {formatVersion} from './read.js';
import {toRecord} from './state/connectors.js';
import type {State} from './state/state.js';
import type {Writer} from './writer.js';

/** What a store in memory consists of. */
export interface MemoryParts {
  readonly state: State;
  /** Makes changes durable, and then visible. */
  readonly writer: Writer;
  /** Undefined without bounds. */
  readonly bounds: RecordBounds | undefined;
  readonly serverSecret: Uint8Array;
}

/** The records in memory, and every operation on them. They are lost with the process unless the writer has a disk. */
export class MemoryStore implements Store {
  readonly serverSecret: Uint8Array;
  readonly version = formatVersion;
  readonly #parts: MemoryParts;
  #closing: Promise<void> | undefined;

  constructor(parts: MemoryParts) {
    this.#parts = parts;
    this.serverSecret = parts.serverSecret;
  }

  get bounds(): Bounds | undefined {
    return this.#parts.bounds?.perOrganization;
  }

  /** Starts every call. @throws StoreError once the store is closing */
  protected opened(): MemoryParts {
    if (this.#closing !== undefined) throw closed();
    return this.#parts;
  }

  /** Decides a change, and writes it; see `Transaction`. */
  async #write<Answer>(decide: (tx: Batch) => Decision<Answer>): Promise<Answer> {
    return this.opened().writer.write((tx) => {
      const {answer, write} = decide(tx);
      tx.write(write);
      return answer;
    });
  }

  createApiKey(record: ApiKeyRecord): Promise<void> {
    return this.#write(() => ({answer: undefined, write: {apiKeys: [record]}}));
  }

  createFirstApiKey(record: ApiKeyRecord): Promise<boolean> {
    return this.#write((tx) => createFirstApiKey(record, tx.hasApiKeys()));
  }

  async findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.opened().state.apiKeyOf(hash);
  }

  async listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    return this.opened()
      .state.apiKeys()
      .sort((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1));
  }

  revokeApiKey(id: string, at: number, reason: string | null): Promise<ApiKeyRecord | undefined> {
    return this.#write((tx) => revokeApiKey(tx.apiKey(id), at, reason));
  }

  revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined> {
    return this.#write((tx) => revokeConnector(tx.connector(id), at, reason));
  }

  async listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    return this.opened().state.connectors.revoked();
  }

  recordKeyUse(id: string, at: number): Promise<void> {
    return this.#write((tx) => recordKeyUse(tx.apiKey(id), at));
  }

  createToken(record: TokenRecord): Promise<boolean> {
    const {organization, description, createdAt} = record;
    this.#parts.state.tokens.settle(createdAt);
    return this.#write((tx) =>
      createToken(record, tx.hasRoom(organization, 'tokens', description)),
    );
  }

  redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    return this.#write((tx) => {
      const token = tx.token(attempt.tokenHash);
      const bound = token && tx.connector(boundId(token));
      const {name} = attempt.connector;
      const hasRoom = () => tx.hasRoom(token?.organization ?? '', 'connectors', name);
      return redeemToken(token, bound, attempt, token?.redemption !== null || hasRoom());
    });
  }

  reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined> {
    return this.#write((tx) => reissueToken(tx.connector(reissue.connectorId), reissue));
  }

  async findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    const {connectors} = this.opened().state;
    return ids.flatMap((id) => connectors.get(id) ?? []);
  }

  removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]> {
    return this.#write((tx) => {
      const found = [...new Set(ids)].flatMap((id) => tx.connector(id) ?? []);
      return removeConnectors(found, lastHeartbeatBefore);
    });
  }

  async findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    const connector = this.opened().state.connectors.get(id);
    return connector && maySee(connector, scope) ? connector : undefined;
  }

  async *listConnectors(
    organization: string,
    range: ListRange = {},
  ): AsyncGenerator<readonly ConnectorRecord[]> {
    yield* this.opened().state.connectors.batches(organization, range);
  }

  async recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<ConnectorRecord | undefined> {
    const {state, writer} = this.opened();
    const connector = state.connectors.entry(id);
    if (connector === undefined || !mayRecord(toRecord(connector), scope)) return undefined;
    if (!(connector.lastHeartbeatAt >= at)) {
      await writer.heartbeat(connector, at);
      // It was removed before this heartbeat was written.
      if (state.connectors.entry(id) !== connector) return undefined;
    }
    return toRecord(connector);
  }

  async measure(bounds: StatusBounds): Promise<StoreMeasure> {
    const {state} = this.opened();
    const connectors = await state.connectors.count(bounds);
    return {connectors, bytes: 0, largest: state.usage.largest()};
  }

  async check(): Promise<readonly string[]> {
    this.opened();
    return [];
  }

  close(): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    this.#closing = this.release();
    return this.#closing;
  }

  /** Finishes what waits. Called once. */
  protected release(): Promise<void> {
    return this.#parts.writer.close();
  }
}

function closed(): StoreError {
  return new StoreError('closed', 'The store is closed.');
}
