import {boundId, tokenRetentionDays, unusedTokenRetention} from '../../domain/activation.js';
import type {TokenRecord} from '../../domain/records.js';
import {day, minute} from '../../domain/time.js';
import type {UsageTable} from './usage.js';

/** A used token that has expired, and the day of its expiry since the Unix epoch. */
export type ClosedToken = readonly [hash: string, expiryDay: number];

/**
 * All activation tokens. Any attempt with a used token that has expired gets `used` (`redeemToken`), so it is
 * closed: only its hash and the day of its expiry stay. Otherwise the tokens of a fleet that was activated in one
 * morning would take more memory than its connectors. An unused token is removed soon after its expiry.
 */
export class TokenTable {
  readonly #usage: UsageTable;
  readonly #open = new Map<string, TokenRecord>();
  /** By hash; whole days fit a small integer. */
  readonly #closed = new Map<string, number>();
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(usage: UsageTable) {
    this.#usage = usage;
  }

  /** A token that is not closed. */
  open(hash: string): TokenRecord | undefined {
    return this.#open.get(hash);
  }

  /** A token, also a closed one: of that it has just enough to be used. */
  get(hash: string): TokenRecord | undefined {
    const expiryDay = this.#closed.get(hash);
    if (expiryDay === undefined) return this.#open.get(hash);
    const at = expiryDay * day;
    const redemption = {at, attemptId: '', idempotencyHash: null};
    const unknown = {organization: '', description: null, reissues: null};
    return {hash, ...unknown, createdAt: at, expiresAt: at, redemption};
  }

  put(token: TokenRecord): void {
    this.#usage.replace(this.#open.get(token.hash), token);
    this.#open.set(token.hash, token);
  }

  close([hash, expiryDay]: ClosedToken): void {
    this.#remove(hash);
    this.#closed.set(hash, expiryDay);
  }

  #remove(hash: string): void {
    this.#usage.replace(this.#open.get(hash), undefined);
    this.#open.delete(hash);
  }

  /** Closes or removes due tokens: once a minute, because it visits all of them. */
  settle(now: number): void {
    if (Math.abs(now - this.#settledAt) < minute) return;
    this.#settledAt = now;
    for (const token of this.#open.values()) this.#settle(token, now);
  }

  /** @returns whether the token stays open */
  #settle({hash, expiresAt, redemption}: TokenRecord, now: number): boolean {
    if (redemption !== null && now >= expiresAt) this.close([hash, Math.floor(expiresAt / day)]);
    else if (now >= expiresAt + unusedTokenRetention) this.#remove(hash);
    return this.#open.has(hash);
  }

  /**
   * All open tokens. Closes, removes and leaves out due tokens, and those of removed connectors, so that nothing of
   * them stays on disk.
   *
   * @param isThere whether there is a connector with an id
   */
  *opened(now: number, isThere: (connectorId: string) => boolean): Generator<TokenRecord> {
    for (const token of this.#open.values()) {
      if (!this.#settle(token, now)) continue;
      const id = boundId(token);
      if (id === '' || isThere(id)) yield token;
      else this.close([token.hash, Math.floor(token.expiresAt / day)]);
    }
  }

  /** All closed tokens. Removes and leaves out those that expired more than 30 days ago. */
  *closed(now: number): Generator<ClosedToken> {
    for (const [hash, expiryDay] of this.#closed) {
      if ((expiryDay + tokenRetentionDays + 1) * day <= now) this.#closed.delete(hash);
      else yield [hash, expiryDay];
    }
  }
}
