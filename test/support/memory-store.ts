import {randomBytes} from 'node:crypto';
import {
  boundId,
  decideRedemption,
  type RedemptionAttempt,
  type Reissue,
  reissueToken,
  unusedTokenRetention,
} from '../../src/domain/activation.js';
import {endReplacedKey, firstKey, judgeKey, replaceKey} from '../../src/domain/connector-keys.js';
import type {StatusBounds} from '../../src/domain/liveness.js';
import type {
  ApiKeyRecord,
  ConnectorRecord,
  Revocable,
  TokenRecord,
} from '../../src/domain/records.js';
import {isSilentSince} from '../../src/domain/removal.js';
import {
  type Bounds,
  type ConnectorScope,
  type ListRange,
  type RedemptionResult,
  type Store,
  StoreError,
  type StoreMeasure,
} from '../../src/store/store.js';

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
    this.#failIfSet();
    if (this.apiKeys.size > 0) return false;
    this.apiKeys.set(record.id, record);
    return true;
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
    this.#failIfSet();
    return revoke(this.apiKeys, id, at, reason);
  }

  async revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined> {
    this.#failIfSet();
    this.#closeReissues(id);
    return revoke(this.connectors, id, at, reason);
  }

  async listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    this.#failIfSet();
    return [...this.connectors.values()].filter(({revokedAt}) => revokedAt !== null).sort(byId);
  }

  async recordKeyUse(id: string, at: number): Promise<void> {
    this.#failIfSet();
    const record = this.apiKeys.get(id);
    if (record === undefined || (record.lastUsedAt ?? at) > at) return;
    this.apiKeys.set(id, {...record, lastUsedAt: at});
  }

  async createToken(record: TokenRecord): Promise<boolean> {
    this.#failIfSet();
    const {organization, createdAt} = record;
    const unused = [...this.tokens.values()].filter(
      ({redemption, expiresAt, ...token}) =>
        token.organization === organization &&
        redemption === null &&
        createdAt < expiresAt + unusedTokenRetention,
    );
    if (unused.length >= (this.bounds?.tokens ?? Number.POSITIVE_INFINITY)) return false;
    this.tokens.set(record.hash, record);
    return true;
  }

  async redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    this.#failIfSet();
    const token = this.tokens.get(attempt.tokenHash);
    const known = this.connectors.get((token && boundId(token)) ?? '');
    const decision = decideRedemption(token, known, attempt);
    if (decision === 'repeat' && known) return {outcome: 'repeated', connector: known};
    if (decision === 'reissue' && token && known) return this.#reissue(token, known, attempt);
    if (decision === 'redeem' && token) return this.#redeem(token, attempt);
    if (decision === 'redeem' || decision === 'reissue' || decision === 'repeat')
      throw new Error('The token or its connector is missing');
    return {outcome: decision};
  }

  #reissue(
    token: TokenRecord,
    known: ConnectorRecord,
    {at, idempotencyHash, keyHashOf, connector: {name}}: RedemptionAttempt,
  ): RedemptionResult {
    const connector = replaceKey(known, {name, keyHash: keyHashOf(known.id)});
    this.connectors.set(connector.id, connector);
    this.#redeemed(token, {at, idempotencyHash, connectorId: connector.id});
    return {outcome: 'reissued', connector};
  }

  #redeemed(token: TokenRecord, redemption: TokenRecord['redemption']): void {
    this.tokens.set(token.hash, {...token, redemption});
  }

  #redeem(token: TokenRecord, attempt: RedemptionAttempt): RedemptionResult {
    const {organization} = token;
    const others = [...this.connectors.values()].filter(
      (other) => other.organization === organization,
    );
    if (others.length >= (this.bounds?.connectors ?? Number.POSITIVE_INFINITY))
      return {outcome: 'full'};
    const connector = {...attempt.connector, organization, ...firstKey};
    const {at, idempotencyHash} = attempt;
    this.connectors.set(connector.id, connector);
    this.#redeemed(token, {at, idempotencyHash, connectorId: connector.id});
    return {outcome: 'redeemed', connector};
  }

  async reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined> {
    this.#failIfSet();
    const {connectorId, createdAt, revocation} = reissue;
    const connector = this.connectors.get(connectorId);
    if (connector === undefined) return undefined;
    this.#closeReissues(connectorId);
    this.tokens.set(reissue.tokenHash, reissueToken(reissue, connector.organization));
    if (revocation === null) return connector;
    return revoke(this.connectors, connectorId, createdAt, revocation.reason);
  }

  #closeReissues(id: string): void {
    this.#closeTokens(({reissues, redemption}) => reissues === id && redemption === null);
  }

  /** A used token without its connector is used for good. */
  #closeTokens(isClosed: (token: TokenRecord) => boolean): void {
    for (const token of this.tokens.values()) {
      if (!isClosed(token)) continue;
      this.#redeemed(token, {at: token.createdAt, connectorId: '', idempotencyHash: null});
    }
  }

  async findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    this.#failIfSet();
    return ids.flatMap((id) => this.connectors.get(id) ?? []);
  }

  async removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]> {
    this.#failIfSet();
    const found = [...new Set(ids)].flatMap((id) => this.connectors.get(id) ?? []);
    const removed = found.filter(
      (connector) => lastHeartbeatBefore === null || isSilentSince(connector, lastHeartbeatBefore),
    );
    for (const {id} of removed) this.connectors.delete(id);
    this.#closeTokens((token) => removed.some(({id}) => id === boundId(token)));
    return removed;
  }

  async findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    this.#failIfSet();
    return this.#find(id, scope);
  }

  #find(id: string, scope: ConnectorScope): ConnectorRecord | undefined {
    const record = this.connectors.get(id);
    if (record === undefined) return undefined;
    if ('organization' in scope) {
      return record.organization === scope.organization ? record : undefined;
    }
    const judgment = judgeKey(record, scope.keyHash);
    if (judgment === 'unknown') return undefined;
    if (judgment !== 'ends-earlier') return record;
    const ended = endReplacedKey(record);
    this.connectors.set(id, ended);
    return ended;
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
    const record = this.#find(id, scope);
    if (record === undefined) return undefined;
    if ('keyHash' in scope && judgeKey(record, scope.keyHash) === 'revoked') return undefined;
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
    return {connectors, bytes: 1024, largest: {tokens: 0, connectors: this.#largest()}};
  }

  #largest(): number {
    const counts = new Map<string, number>();
    for (const {organization} of this.connectors.values()) {
      counts.set(organization, (counts.get(organization) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
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

function revoke<T extends Revocable>(
  records: Map<string, T>,
  id: string,
  revokedAt: number,
  revocationReason: string | null,
): T | undefined {
  const record = records.get(id);
  if (record === undefined || record.revokedAt !== null) return record;
  const revoked = {...record, revokedAt, revocationReason};
  records.set(id, revoked);
  return revoked;
}

function byId(left: {readonly id: string}, right: {readonly id: string}): number {
  return left.id < right.id ? -1 : 1;
}
