import {tokenRetention} from '../../domain/activation.js';
import type {TokenRecord} from '../../domain/records.js';
import {minute} from '../../domain/time.js';
import type {UsageTable} from './usage.js';

/** All activation tokens, until some time after their expiry. */
export class TokenTable {
  readonly #usage: UsageTable;
  readonly #byHash = new Map<string, TokenRecord>();
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(usage: UsageTable) {
    this.#usage = usage;
  }

  get(hash: string): TokenRecord | undefined {
    return this.#byHash.get(hash);
  }

  put(token: TokenRecord): void {
    this.#usage.replace(this.get(token.hash), token);
    this.#byHash.set(token.hash, token);
  }

  values(): IterableIterator<TokenRecord> {
    return this.#byHash.values();
  }

  /** Removes tokens that expired long ago: once a minute, because it visits all of them. */
  settle(now: number): void {
    if (Math.abs(now - this.#settledAt) < minute) return;
    this.#settledAt = now;
    for (const token of this.values()) {
      if (now < token.expiresAt + tokenRetention) continue;
      this.#usage.replace(token, undefined);
      this.#byHash.delete(token.hash);
    }
  }
}
