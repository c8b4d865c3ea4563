import type {ApiKeyRecord} from '../../../domain/records.js';
import type {RecordOf, StoreRecord} from '../format/records.js';
import {ConnectorTable, recordHeartbeat} from './connectors.js';
import {TokenTable} from './tokens.js';
import {UsageTable} from './usage.js';

/**
 * The durable state, in memory. It changes with the records of the files at start and with each `Change`
 * after its sync, so memory is never ahead of the disk.
 */
export class State {
  readonly usage = new UsageTable();
  readonly connectors = new ConnectorTable(this.usage);
  readonly tokens = new TokenTable(this.usage);
  readonly #apiKeys = new Map<string, ApiKeyRecord>();
  readonly #apiKeyHashes = new Map<string, string>();

  apiKey(hash: string): ApiKeyRecord | undefined {
    return this.#apiKeys.get(hash);
  }

  apiKeyById(id: string): ApiKeyRecord | undefined {
    const hash = this.#apiKeyHashes.get(id);
    return hash === undefined ? undefined : this.#apiKeys.get(hash);
  }

  apiKeys(): ApiKeyRecord[] {
    return [...this.#apiKeys.values()];
  }

  /** Applies a record. Applying it again, or an older one after it, has no effect. */
  apply(record: StoreRecord): void {
    switch (record.type) {
      case 'heartbeats':
        this.#recordHeartbeats(record);
        break;
      case 'connector':
        this.connectors.add(record);
        break;
      case 'token':
        this.tokens.add(record);
        break;
      case 'closedToken':
        this.tokens.addClosed(record);
        break;
      case 'redemption':
        this.tokens.redeem({...record, attemptId: record.connector.id});
        this.connectors.add(record.connector);
        break;
      case 'apiKey':
        this.#addApiKey(record);
        break;
      case 'revocation':
        this.#revoke(record);
        break;
      case 'connectorRevocation':
        this.connectors.revoke(record.id, record);
        break;
      case 'connectorKeys':
        this.connectors.setKeys(record);
        break;
      case 'reissue':
        this.tokens.redeem(record);
        this.connectors.reissue(record);
        break;
      case 'removal':
        this.connectors.remove(record.ids);
        break;
      case 'keyUse':
        this.#recordKeyUse(record);
        break;
    }
  }

  #recordHeartbeats({at, ids}: RecordOf<'heartbeats'>): void {
    for (const id of ids) {
      const connector = this.connectors.entry(id);
      if (connector !== undefined) recordHeartbeat(connector, at);
    }
  }

  #addApiKey({type: _, ...key}: RecordOf<'apiKey'>): void {
    if (this.#apiKeys.has(key.hash)) return;
    this.#apiKeys.set(key.hash, key);
    this.#apiKeyHashes.set(key.id, key.hash);
  }

  #revoke({id, at, reason}: RecordOf<'revocation'>): void {
    const key = this.apiKeyById(id);
    if (key?.revokedAt !== null) return;
    this.#apiKeys.set(key.hash, {...key, revokedAt: at, revocationReason: reason});
  }

  #recordKeyUse({id, at}: RecordOf<'keyUse'>): void {
    const key = this.apiKeyById(id);
    if (key === undefined || (key.lastUsedAt ?? at) > at) return;
    this.#apiKeys.set(key.hash, {...key, lastUsedAt: at});
  }

  /**
   * The whole state as the records of a snapshot. `apply` may be called meanwhile: what it changes comes
   * in its old or its new form. Closes and removes expired tokens, but never API keys or connectors.
   *
   * @param now milliseconds since the Unix epoch
   */
  *snapshot(now: number): Generator<StoreRecord> {
    for (const key of this.#apiKeys.values()) yield {type: 'apiKey', ...key};
    const isThere = (id: string) => this.connectors.entry(id) !== undefined;
    yield* this.tokens.snapshot(now, isThere);
    for (const connector of this.connectors.records()) yield {type: 'connector', ...connector};
    for (const {id, at, reason} of this.connectors.revocations()) {
      yield {type: 'connectorRevocation', id, at, reason};
    }
    yield* this.connectors.earlierKeys();
  }
}
