import {tokenRetention} from '../../domain/activation.js';
import {batchesOf} from '../../domain/batches.js';
import type {ApiKeyRecord, TokenRecord} from '../../domain/records.js';
import {minute} from '../../domain/time.js';
import {ConnectorTable, type StoredConnector} from './connectors.js';
import {UsageTable} from './usage.js';

/** The changes of one line of the file, in this order. Empty members are absent. */
export interface Line {
  readonly apiKeys?: readonly ApiKeyRecord[];
  readonly tokens?: readonly TokenRecord[];
  readonly connectors?: readonly StoredConnector[];
  /** The times of heartbeats, in milliseconds since the Unix epoch, with the ids of their connectors. */
  readonly heartbeats?: readonly (readonly [id: string, at: number])[];
  /** The ids of removed connectors, which are never used again. */
  readonly removed?: readonly string[];
  /** Marks the end of the lines that a compaction has written. */
  readonly compact?: true;
}

/** Records per line of a compact file: half a millisecond's work, so that requests get their turn. */
const recordsPerLine = 256;

/** The members of a line as JSON text, at least one; see `encodeLines`. */
export function membersOf(line: Line): string {
  return JSON.stringify(line).slice(1, -1);
}

/** The lines of the file, applied; `settle` removes old tokens. Only the senders can be ahead of the disk. */
export class State {
  readonly usage = new UsageTable();
  readonly connectors = new ConnectorTable(this.usage);
  /** The tokens by hash. */
  readonly tokens = new Map<string, TokenRecord>();
  #settledAt = Number.NEGATIVE_INFINITY;
  /** The API keys by id. */
  readonly apiKeys = new Map<string, ApiKeyRecord>();
  readonly #apiKeyIds = new Map<string, string>();
  /** Number of lines with removals so far: the file may still hold the removed connectors. */
  removals = 0;

  apiKeyOf(hash: string): ApiKeyRecord | undefined {
    return this.apiKeys.get(this.#apiKeyIds.get(hash) ?? '');
  }

  /** Applies a line. Replaying lines on a later state up to its last one changes at most senders and old tokens. */
  apply({apiKeys, tokens, connectors, heartbeats, removed}: Line): void {
    for (const key of apiKeys ?? []) {
      this.apiKeys.set(key.id, key);
      this.#apiKeyIds.set(key.hash, key.id);
    }
    for (const token of tokens ?? []) {
      this.usage.replace(this.tokens.get(token.hash), token);
      this.tokens.set(token.hash, token);
    }
    for (const connector of connectors ?? []) this.connectors.put(connector);
    for (const [id, at] of heartbeats ?? []) this.connectors.recordHeartbeat(id, at);
    if (removed !== undefined) {
      this.connectors.remove(removed);
      this.removals += 1;
    }
  }

  /** Removes tokens that expired long ago. At most once a minute, because it visits all tokens. */
  settle(now: number): void {
    if (Math.abs(now - this.#settledAt) < minute) return;
    this.#settledAt = now;
    for (const [hash, token] of this.tokens) {
      if (now < token.expiresAt + tokenRetention) continue;
      this.usage.replace(token, undefined);
      this.tokens.delete(hash);
    }
  }

  /**
   * The whole state, as the lines of a compact file. `apply` may be called in between: a record that it changes appears
   * in its old or its new form. Removes tokens that expired long ago.
   *
   * @param now milliseconds since the Unix epoch
   */
  *lines(now: number): Generator<Line> {
    this.settle(now);
    const {apiKeys, tokens, connectors} = this;
    for (const [kind, records] of Object.entries({apiKeys, tokens, connectors})) {
      for (const batch of batchesOf<unknown>(records.values(), recordsPerLine))
        yield {[kind]: batch};
    }
    yield {compact: true};
  }
}
