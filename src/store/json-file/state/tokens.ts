import {type RedemptionDecision, tokenRetentionDays} from '../../../domain/activation.js';
import type {TokenRecord} from '../../../domain/records.js';
import {day} from '../../../domain/time.js';
import type {RecordOf} from '../format/records.js';

/** What is answered to any further attempt with a token that is closed. */
export type ClosedOutcome = Extract<RedemptionDecision, 'used' | 'expired'>;

/**
 * All activation tokens. An expired token is either `used` or `expired` (`decideRedemption`), so a
 * snapshot closes it: only this, its hash and its expiry are kept. Otherwise a fleet that was
 * activated in one morning would hold more tokens than connectors in memory.
 */
export class TokenTable {
  readonly #live = new Map<string, TokenRecord>();
  /** By outcome: the time of expiry in whole days since the Unix epoch, a small number, by hash. */
  readonly #closed = {used: new Map<string, number>(), expired: new Map<string, number>()};

  get(hash: string): TokenRecord | undefined {
    return this.#live.get(hash);
  }

  /** The outcome of a token that is closed; undefined when it is not, or not known. */
  closedOutcome(hash: string): ClosedOutcome | undefined {
    if (this.#closed.used.has(hash)) return 'used';
    return this.#closed.expired.has(hash) ? 'expired' : undefined;
  }

  /** Adds a token; one that is there already stays as it is. */
  add({type: _, ...token}: RecordOf<'token'>): void {
    if (this.#live.has(token.hash) || this.closedOutcome(token.hash) !== undefined) return;
    this.#live.set(token.hash, token);
  }

  /** Adds a token that is closed, in the place of a live one. */
  addClosed({hash, outcome, expiresAt}: Omit<RecordOf<'closedToken'>, 'type'>): void {
    this.#live.delete(hash);
    this.#closed[outcome].set(hash, Math.floor(expiresAt / day));
  }

  /** Notes what a token was used for; once. */
  redeem({tokenHash, connector, idempotencyHash, at}: RecordOf<'redemption'>): void {
    // A snapshot may close a token at its expiry while its redemption is still being written.
    const expiryDay = this.#closed.expired.get(tokenHash);
    if (expiryDay !== undefined) {
      this.#closed.expired.delete(tokenHash);
      this.#closed.used.set(tokenHash, expiryDay);
    }
    const token = this.#live.get(tokenHash);
    if (token?.redemption !== null) return;
    const redemption = {at, connectorId: connector.id, idempotencyHash};
    this.#live.set(tokenHash, {...token, redemption});
  }

  /**
   * All tokens, as the records of a snapshot; see `State.snapshot`. On the way those that have
   * expired are closed, and those that expired 30 days before `now` are forgotten.
   *
   * @param now milliseconds since the Unix epoch
   */
  *snapshot(now: number): Generator<RecordOf<'token'> | RecordOf<'closedToken'>> {
    for (const token of this.#live.values()) {
      const {hash, expiresAt, redemption} = token;
      if (now >= expiresAt) {
        this.addClosed({hash, outcome: redemption === null ? 'expired' : 'used', expiresAt});
      } else {
        yield {type: 'token', ...token, redemption: redemption && {...redemption}};
      }
    }
    for (const outcome of ['used', 'expired'] as const) {
      const tokens = this.#closed[outcome];
      for (const [hash, expiryDay] of tokens) {
        const expiresAt = expiryDay * day;
        if (expiresAt + (tokenRetentionDays + 1) * day <= now) tokens.delete(hash);
        else yield {type: 'closedToken', hash, outcome, expiresAt};
      }
    }
  }
}
