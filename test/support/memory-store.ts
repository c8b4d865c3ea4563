import {randomBytes} from 'node:crypto';
import {
  boundId,
  createToken,
  isCounted,
  type RedemptionAttempt,
  type RedemptionResult,
  type Reissue,
  redeemToken,
  reissueToken,
} from '../../src/domain/activation.js';
import type {Decision} from '../../src/domain/changes.js';
import {
  type ConnectorScope,
  createFirstApiKey,
  mayRecord,
  maySee,
  recordKeyUse,
  revokeApiKey,
  revokeConnector,
} from '../../src/domain/connector-keys.js';
import type {StatusBounds} from '../../src/domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../src/domain/records.js';
import {removeConnectors} from '../../src/domain/removal.js';
import {
  type Bounds,
  type ListRange,
  type Store,
  StoreError,
  type StoreMeasure,
} from '../../src/store/store.js';

/** What rules read by id. */
interface Reads {
  apiKey(id: string): ApiKeyRecord | undefined;
  connector(id: string): ConnectorRecord | undefined;
}

/** Connectors per batch of a list: small, so that tests of the service see several batches. */
const batchSize = 3;

/** A store in memory: the simplest implementation of the interface, for tests of the service. */
export class MemoryStore implements Store {
  readonly serverSecret = randomBytes(32);
  readonly version = 1;
  bounds: Bounds | undefined;
  readonly apiKeys = new Map<string, ApiKeyRecord>();
  readonly tokens = new Map<string, TokenRecord>();
  readonly connectors = new Map<string, ConnectorRecord>();
  /** When set, every call rejects with it. */
  failure: StoreError | undefined;
  /** The warnings of a successful check. */
  warnings: readonly string[] = [];

  async createApiKey(record: ApiKeyRecord): Promise<void> {
    this.#failIfSet();
    this.apiKeys.set(record.id, record);
  }

  async createFirstApiKey(record: ApiKeyRecord): Promise<boolean> {
    return this.#write(() => createFirstApiKey(record, this.apiKeys.size > 0));
  }

  async findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    this.#failIfSet();
    return [...this.apiKeys.values()].find((record) => record.hash === hash);
  }

  async listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    this.#failIfSet();
    return [...this.apiKeys.values()].sort(
      (left, right) => left.createdAt - right.createdAt || byId(left, right),
    );
  }

  async revokeApiKey(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ApiKeyRecord | undefined> {
    return this.#write((tx) => revokeApiKey(tx.apiKey(id), at, reason));
  }

  async revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined> {
    return this.#write((tx) => revokeConnector(tx.connector(id), at, reason));
  }

  async listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    this.#failIfSet();
    return [...this.connectors.values()].filter(({revokedAt}) => revokedAt !== null).sort(byId);
  }

  async recordKeyUse(id: string, at: number): Promise<void> {
    this.#write((tx) => recordKeyUse(tx.apiKey(id), at));
  }

  async createToken(record: TokenRecord): Promise<boolean> {
    const {organization, createdAt} = record;
    return this.#write(() => {
      const used = [...this.tokens.values()].filter(
        (token) => token.organization === organization && isCounted(token, createdAt),
      );
      return createToken(record, used.length < (this.bounds?.tokens ?? Number.POSITIVE_INFINITY));
    });
  }

  async redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    return this.#write((tx) => {
      const token = this.tokens.get(attempt.tokenHash);
      const bound = token && tx.connector(boundId(token));
      const others = [...this.connectors.values()].filter(
        ({organization}) => organization === token?.organization,
      );
      const hasRoom = others.length < (this.bounds?.connectors ?? Number.POSITIVE_INFINITY);
      return redeemToken(token, bound, attempt, hasRoom);
    });
  }

  async reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined> {
    return this.#write((tx) => reissueToken(tx.connector(reissue.connectorId), reissue));
  }

  async findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    this.#failIfSet();
    return ids.flatMap((id) => this.connectors.get(id) ?? []);
  }

  async removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]> {
    return this.#write((tx) => {
      const found = [...new Set(ids)].flatMap((id) => tx.connector(id) ?? []);
      return removeConnectors(found, lastHeartbeatBefore);
    });
  }

  /** Carries out what a rule decides. */
  #write<Answer>(decide: (tx: Reads) => Decision<Answer>): Answer {
    this.#failIfSet();
    const {answer, write} = decide({
      apiKey: (id) => this.apiKeys.get(id),
      connector: (id) => this.connectors.get(id),
    });
    for (const key of write.apiKeys ?? []) this.apiKeys.set(key.id, key);
    for (const token of write.tokens ?? []) this.tokens.set(token.hash, token);
    for (const connector of write.connectors ?? []) this.connectors.set(connector.id, connector);
    for (const id of write.removed ?? []) this.connectors.delete(id);
    return answer;
  }

  async findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    this.#failIfSet();
    const record = this.connectors.get(id);
    return record && maySee(record, scope) ? record : undefined;
  }

  async *listConnectors(
    organization: string,
    {after = '', limit = Number.POSITIVE_INFINITY}: ListRange = {},
  ): AsyncIterable<readonly ConnectorRecord[]> {
    this.#failIfSet();
    const records = [...this.connectors.values()]
      .filter((record) => record.organization === organization && record.id > after)
      .sort(byId)
      .slice(0, limit);
    for (let start = 0; start < records.length; start += batchSize) {
      this.#failIfSet();
      yield records.slice(start, start + batchSize);
    }
  }

  async recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<ConnectorRecord | undefined> {
    this.#failIfSet();
    const record = this.connectors.get(id);
    if (record === undefined || !mayRecord(record, scope)) return undefined;
    const updated = {...record, lastHeartbeatAt: Math.max(at, record.lastHeartbeatAt ?? at)};
    this.connectors.set(id, updated);
    return updated;
  }

  async measure({onlineSince, staleSince}: StatusBounds): Promise<StoreMeasure> {
    this.#failIfSet();
    const connectors = {never: 0, online: 0, stale: 0, offline: 0, revoked: 0};
    for (const {lastHeartbeatAt: at, revokedAt} of this.connectors.values()) {
      if (revokedAt !== null) connectors.revoked += 1;
      else if (at === null) connectors.never += 1;
      else connectors[at >= onlineSince ? 'online' : at >= staleSince ? 'stale' : 'offline'] += 1;
    }
    const unused = [...this.tokens.values()].filter((token) => isCounted(token, 0));
    const largest = {tokens: most(unused), connectors: most([...this.connectors.values()])};
    return {connectors, bytes: 1024, largest};
  }

  async check(): Promise<readonly string[]> {
    this.#failIfSet();
    return this.warnings;
  }

  async close(): Promise<void> {
    this.#failIfSet();
    this.failure = new StoreError('closed', 'the store is closed');
  }

  /** Separate from `check`, because tests replace `check` and count its calls. */
  #failIfSet(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

/** The most records of one organization. */
function most(records: readonly {readonly organization: string}[]): number {
  const counts = new Map<string, number>();
  for (const {organization} of records)
    counts.set(organization, (counts.get(organization) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

function byId(left: {readonly id: string}, right: {readonly id: string}): number {
  return left.id < right.id ? -1 : 1;
}
