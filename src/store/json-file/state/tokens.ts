import {type RedemptionDecision, tokenRetentionDays} from '../../../domain/activation.js';
import type {TokenRecord} from '../../../domain/records.js';
import {day} from '../../../domain/time.js';
import type {RecordOf} from '../format/records.js';

/** The outcome of any further attempt with a closed token. */
type ClosedOutcome = Extract<RedemptionDecision, 'used' | 'expired'>;

/**
 * All activation tokens. An expired token is either `used` or `expired` (`decideRedemption`), so a
 * snapshot closes it: only its outcome, hash and expiry stay. Otherwise the tokens of a fleet that was
 * activated in one morning would take more memory than its connectors.
 */
export class TokenTable {
  readonly #open = new Map<string, TokenRecord>();
  /** By outcome and hash: the expiry in whole days since the Unix epoch, which fits a small integer. */
  readonly #closed = {used: new Map<string, number>(), expired: new Map<string, number>()};

  get(hash: string): TokenRecord | undefined {
    return this.#open.get(hash);
  }

  /** The outcome of a closed token; undefined when it is open or unknown. */
  closedOutcome(hash: string): ClosedOutcome | undefined {
    if (this.#closed.used.has(hash)) return 'used';
    return this.#closed.expired.has(hash) ? 'expired' : undefined;
  }

  /** Adds a token; an existing one stays as it is. */
  add({type: _, ...token}: RecordOf<'token'>): void {
    if (this.#open.has(token.hash) || this.closedOutcome(token.hash) !== undefined) return;
    this.#open.set(token.hash, token);
  }

  /** Adds a closed token, which replaces an open one. */
  addClosed({hash, outcome, expiresAt}: Omit<RecordOf<'closedToken'>, 'type'>): void {
    this.#open.delete(hash);
    this.#closed[outcome].set(hash, Math.floor(expiresAt / day));
  }

  /** Records the first redemption of a token. */
  redeem({tokenHash, connector, idempotencyHash, at}: RecordOf<'redemption'>): void {
    // A snapshot may close an expired token while its redemption is still being written.
    const expiryDay = this.#closed.expired.get(tokenHash);
    if (expiryDay !== undefined) {
      this.#closed.expired.delete(tokenHash);
      this.#closed.used.set(tokenHash, expiryDay);
    }
    const token = this.#open.get(tokenHash);
    if (token?.redemption !== null) return;
    const redemption = {at, connectorId: connector.id, idempotencyHash};
    this.#open.set(tokenHash, {...token, redemption});
  }

  /**
   * All tokens as the records of a snapshot; see `State.snapshot`. Closes expired tokens, and removes
   * those that expired more than 30 days before `now`.
   *
   * @param now milliseconds since the Unix epoch
   */
  *snapshot(now: number): Generator<RecordOf<'token'> | RecordOf<'closedToken'>> {
    for (const token of this.#open.values()) {
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
