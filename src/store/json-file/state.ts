import type {ApiKeyRecord, TokenRecord} from '../../domain/records.js';
import {ConnectorTable} from './connector-table.js';
import {ObservedTime} from './observed-time.js';
import type {RecordOf, StoreRecord} from './records.js';

/** An activation token and its number in the order of their making. */
export interface NumberedToken extends TokenRecord {
  readonly order: number;
}

/** How long a token is remembered after it expired, spent or not: 30 days in milliseconds. */
const retention = 30 * 24 * 60 * 60 * 1000;

/**
 * Everything that is durable, in memory. It changes by `apply` alone, with the records of the
 * files at start and with those of each commit after its sync: memory never runs ahead of the disk.
 */
export class State {
  readonly connectors = new ConnectorTable();
  readonly #tokens = new Map<string, NumberedToken>();
  readonly #apiKeys = new Map<string, ApiKeyRecord>();
  readonly #apiKeyHashes = new Map<string, string>();
  /** What is on disk of the times seen; see `observed-time.ts`. */
  readonly clock = new ObservedTime();
  #tokensMade = 0;

  /** The highest number of any token so far. */
  get tokensMade(): number {
    return this.#tokensMade;
  }

  token(hash: string): NumberedToken | undefined {
    return this.#tokens.get(hash);
  }

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

  /** Applies a record. Applying it again, or an older one after it, changes nothing more. */
  apply(record: StoreRecord): void {
    switch (record.type) {
      case 'heartbeat':
        this.connectors.beat(record.id, record.at);
        break;
      case 'connector':
        this.connectors.add(record);
        break;
      case 'token':
        this.#addToken(record);
        break;
      case 'redemption':
        this.#redeem(record);
        break;
      case 'apiKey':
        this.#addApiKey(record);
        break;
      case 'revocation':
        this.#revoke(record);
        break;
      case 'clock':
        this.#observe(record);
        break;
    }
  }

  #addToken({type: _, ...token}: RecordOf<'token'>): void {
    this.#tokensMade = Math.max(this.#tokensMade, token.order);
    if (!this.#tokens.has(token.hash)) this.#tokens.set(token.hash, token);
  }

  #redeem({tokenHash, connector, idempotencyHash, at}: RecordOf<'redemption'>): void {
    const token = this.#tokens.get(tokenHash);
    if (token?.redemption === null) {
      const redemption = {at, connectorId: connector.id, idempotencyHash};
      this.#tokens.set(tokenHash, {...token, redemption});
    }
    this.connectors.add(connector);
  }

  #addApiKey({type: _, ...key}: RecordOf<'apiKey'>): void {
    if (this.#apiKeys.has(key.hash)) return;
    this.#apiKeys.set(key.hash, key);
    this.#apiKeyHashes.set(key.id, key.hash);
  }

  #revoke({id, at}: RecordOf<'revocation'>): void {
    const key = this.apiKeyById(id);
    if (key?.revokedAt === null) this.#apiKeys.set(key.hash, {...key, revokedAt: at});
  }

  #observe({seen}: RecordOf<'clock'>): void {
    for (const {at, order} of seen) {
      this.#tokensMade = Math.max(this.#tokensMade, order);
      this.clock.observe(at, order);
    }
  }

  /**
   * Everything, as the records of a snapshot. May be read while `apply` goes on: what changes
   * meanwhile comes in its old or its new form. Tokens that expired 30 days before `now` are
   * forgotten on the way; API keys and connectors never are.
   *
   * @param now milliseconds since the Unix epoch
   */
  *snapshot(now: number): Generator<StoreRecord> {
    yield {type: 'clock', seen: [...this.clock.entries]};
    for (const key of this.#apiKeys.values()) yield {type: 'apiKey', ...key};
    for (const token of this.#tokens.values()) {
      if (token.expiresAt + retention <= now) this.#tokens.delete(token.hash);
      else yield {type: 'token', ...token, redemption: token.redemption && {...token.redemption}};
    }
    for (const connector of this.connectors.records()) yield {type: 'connector', ...connector};
  }
}
