import type {Changes} from '../../domain/changes.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Bounds, Transaction} from '../store.js';
import type {RecordBounds} from './bounds.js';
import {type ConnectorEntry, usageOfConnector} from './state/connectors.js';
import type {Heartbeats, Line, State} from './state/state.js';
import {usageOfToken} from './state/tokens.js';
import {UsageTable} from './state/usage.js';

/** Changes that are decided, and will be written as one line. It sees the state with them; nobody else does. */
export class Batch implements Transaction {
  readonly #state: State;
  readonly #bounds: RecordBounds | undefined;
  readonly #apiKeys = new Map<string, ApiKeyRecord>();
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #connectors = new Map<string, ConnectorRecord>();
  readonly #heartbeats = new Map<string, number>();
  readonly #removed = new Set<string>();
  /** What the changes add. */
  readonly #usage = new UsageTable();
  #writes = 0;

  /** @param bounds undefined without bounds */
  constructor(state: State, bounds: RecordBounds | undefined) {
    this.#state = state;
    this.#bounds = bounds;
  }

  /** Changes so far. */
  get writes(): number {
    return this.#writes;
  }

  apiKey(id: string): ApiKeyRecord | undefined {
    return this.#apiKeys.get(id) ?? this.#state.apiKey(id);
  }

  hasApiKeys(): boolean {
    return this.#apiKeys.size > 0 || this.#state.apiKeys().length > 0;
  }

  token(hash: string): TokenRecord | undefined {
    return this.#tokens.get(hash) ?? this.#state.tokens.get(hash);
  }

  connector(id: string): ConnectorRecord | undefined {
    if (this.#removed.has(id)) return undefined;
    const connector = this.#connectors.get(id) ?? this.#state.connectors.get(id);
    const at = this.#heartbeats.get(id);
    if (connector === undefined || at === undefined) return connector;
    return {...connector, lastHeartbeatAt: Math.max(at, connector.lastHeartbeatAt ?? at)};
  }

  hasRoom(organization: string, kind: keyof Bounds, text: string | null): boolean {
    if (this.#bounds === undefined) return true;
    const there = this.#state.usage.of(organization);
    const added = this.#usage.of(organization);
    const usage = {
      tokens: there.tokens + added.tokens,
      connectors: there.connectors + added.connectors,
      bytes: there.bytes + added.bytes,
    };
    return this.#bounds.hasRoom(usage, this.#state.usage.bytes + this.#usage.bytes, kind, text);
  }

  write({apiKeys = [], tokens = [], connectors = [], removed = []}: Changes): void {
    this.#writes += apiKeys.length + tokens.length + connectors.length + removed.length;
    for (const key of apiKeys) this.#apiKeys.set(key.id, key);
    for (const token of tokens) {
      const before = this.#tokens.get(token.hash) ?? this.#state.tokens.open(token.hash);
      this.#usage.replace(usageOfToken(before), usageOfToken(token));
      this.#tokens.set(token.hash, token);
    }
    for (const connector of connectors) {
      const before = this.connector(connector.id);
      this.#usage.replace(usageOfConnector(before), usageOfConnector(connector));
      this.#connectors.set(connector.id, connector);
    }
    for (const id of removed) {
      this.#usage.replace(usageOfConnector(this.connector(id)), undefined);
      this.#connectors.delete(id);
      this.#heartbeats.delete(id);
      this.#removed.add(id);
    }
  }

  /** Records a heartbeat of a connector, unless it was removed in the meantime. */
  heartbeat({id}: ConnectorEntry, at: number): void {
    if (this.#state.connectors.entry(id) === undefined) return;
    this.#writes += 1;
    this.#heartbeats.set(id, Math.max(at, this.#heartbeats.get(id) ?? at));
  }

  /** Makes the line be written even if nothing is in it. */
  touch(): void {
    this.#writes += 1;
  }

  /** What is to be written. */
  get line(): Line {
    const line = {
      apiKeys: [...this.#apiKeys.values()],
      tokens: [...this.#tokens.values()],
      connectors: [...this.#connectors.values()],
      heartbeats: this.#heartbeatsByTime(),
      removed: [...this.#removed],
    };
    return Object.fromEntries(Object.entries(line).filter(([, records]) => records.length > 0));
  }

  #heartbeatsByTime(): Heartbeats[] {
    const byTime = new Map<number, [number, ...string[]]>();
    for (const [id, at] of this.#heartbeats) {
      const same = byTime.get(at);
      if (same === undefined) byTime.set(at, [at, id]);
      else same.push(id);
    }
    return [...byTime.values()];
  }
}
