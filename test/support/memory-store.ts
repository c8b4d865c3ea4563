import {randomBytes} from 'node:crypto';
import {type ConnectorScope, mayRecord} from '../../src/domain/connector-keys.js';
import type {StatusBounds} from '../../src/domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../src/domain/records.js';
import {type Sender, sentBy} from '../../src/domain/senders.js';
import {
  type Bounds,
  type Decide,
  type ListRange,
  Store,
  StoreError,
  type StoreMeasure,
  type Transaction,
} from '../../src/store/store.js';

/** Connectors per batch of a list: small, so that tests of the service see several batches. */
const batchSize = 3;

/** A store in memory: the simplest one, for tests of the service. */
export class MemoryStore extends Store {
  readonly serverSecret = randomBytes(32);
  readonly version = 1;
  bounds: Bounds | undefined;
  readonly apiKeys = new Map<string, ApiKeyRecord>();
  readonly tokens = new Map<string, TokenRecord>();
  readonly connectors = new Map<string, ConnectorRecord>();
  /** When set, every call rejects with it. */
  failure: StoreError | undefined;

  protected async transact<Answer>(decide: Decide<Answer>): Promise<Answer> {
    this.#failIfSet();
    const {apiKeys, tokens, connectors} = this;
    const tx: Transaction = {
      apiKey: (id) => apiKeys.get(id),
      hasApiKeys: () => apiKeys.size > 0,
      token: (hash) => tokens.get(hash),
      connector: (id) => connectors.get(id),
      connectors: (ids) => [...new Set(ids)].flatMap((id) => connectors.get(id) ?? []),
      hasRoom: (organization, kind) => {
        const counted = kind === 'tokens' ? this.#unused() : [...connectors.values()];
        const own = counted.filter((record) => record.organization === organization);
        return own.length < (this.bounds?.[kind] ?? Number.POSITIVE_INFINITY);
      },
    };
    const {answer, write} = await decide(tx);
    for (const key of write.apiKeys ?? []) apiKeys.set(key.id, key);
    for (const token of write.tokens ?? []) tokens.set(token.hash, token);
    for (const connector of write.connectors ?? []) connectors.set(connector.id, connector);
    for (const id of write.removed ?? []) connectors.delete(id);
    return answer;
  }

  #unused(): TokenRecord[] {
    return [...this.tokens.values()].filter(
      ({redemption, reissues}) => redemption === null && reissues === null,
    );
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

  async listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    this.#failIfSet();
    return [...this.connectors.values()].filter(({revokedAt}) => revokedAt !== null).sort(byId);
  }

  async findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    this.#failIfSet();
    return ids.flatMap((id) => this.connectors.get(id) ?? []);
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
    sender?: Sender,
  ): Promise<ConnectorRecord | undefined> {
    this.#failIfSet();
    const record = this.connectors.get(id);
    if (record === undefined || !mayRecord(record, scope)) return undefined;
    const {lastHeartbeatAt: last, senders} = record;
    const updated = {
      ...record,
      lastHeartbeatAt: Math.max(at, last ?? at),
      senders: sender === undefined ? senders : sentBy(senders, sender, at, last),
    };
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
    const largest = {tokens: most(this.#unused()), connectors: most([...this.connectors.values()])};
    return {connectors, bytes: 1024, largest};
  }

  async check(): Promise<void> {
    this.#failIfSet();
  }

  override async close(): Promise<void> {
    this.#failIfSet();
    this.failure = new StoreError('closed', 'the store is closed');
  }

  protected async release(): Promise<void> {}

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
