import {
  boundId,
  type RedemptionDecision,
  tokenRetentionDays,
  unusedTokenRetention,
} from '../../../domain/activation.js';
import type {TokenRecord} from '../../../domain/records.js';
import {day, minute} from '../../../domain/time.js';
import type {RecordOf} from '../format/records.js';
import {costOf, type UsageTable} from './usage.js';

/** The outcome of any further attempt with a closed token. */
type ClosedOutcome = Extract<RedemptionDecision, 'used'>;

/** What a redemption leaves of its token. */
type Redeemed = Pick<RecordOf<'reissue'>, 'tokenHash' | 'idempotencyHash' | 'at' | 'attemptId'>;

/** How often a token counts toward a bound; see `isCounted`. */
const counted = ({redemption, reissues}: TokenRecord): number =>
  redemption === null && reissues === null ? 1 : 0;

/** The end of a minute since the Unix epoch, in milliseconds. */
const endOf = (minutes: number): number => (minutes + 1) * minute;

/**
 * All activation tokens. Any attempt with a used token that has expired gets `used` (`decideRedemption`), so a
 * snapshot closes it: only its hash and expiry stay. Otherwise the tokens of a fleet that was activated in one
 * morning would take more memory than its connectors. An unused token is removed soon after its expiry.
 */
export class TokenTable {
  readonly #usage: UsageTable;
  readonly #open = new Map<string, TokenRecord>();
  /** The expiry of used tokens in whole days since the Unix epoch, which fits a small integer. */
  readonly #closed = new Map<string, number>();
  /** The hashes of open tokens by the minute after which they leave; some have left earlier. */
  readonly #leaving = new Map<number, string[]>();
  /** The end of the first of these minutes, in milliseconds. */
  #nextLeave = Number.POSITIVE_INFINITY;
  #removed = 0;

  constructor(usage: UsageTable) {
    this.#usage = usage;
  }

  /** Tokens that were removed since the last snapshot, which still has most of them. */
  get removed(): number {
    return this.#removed;
  }

  get(hash: string): TokenRecord | undefined {
    return this.#open.get(hash);
  }

  /** The outcome of a closed token; undefined when it is open or unknown. */
  closedOutcome(hash: string): ClosedOutcome | undefined {
    return this.#closed.has(hash) ? 'used' : undefined;
  }

  /** Adds a token; an existing one stays as it is. */
  add({type: _, ...token}: RecordOf<'token'>): void {
    const {hash, expiresAt} = token;
    if (this.#open.has(hash) || this.#closed.has(hash)) return;
    const {organization} = this.#usage.of(token.organization);
    this.#open.set(hash, {...token, organization});
    const tokens = counted(token);
    this.#usage.change(organization, {tokens, bytes: costOf('tokens', token.description)});
    const leavesAt = Math.floor((expiresAt + unusedTokenRetention) / minute);
    const leaving = this.#leaving.get(leavesAt);
    if (leaving === undefined) this.#leaving.set(leavesAt, [hash]);
    else leaving.push(hash);
    this.#nextLeave = Math.min(this.#nextLeave, endOf(leavesAt));
  }

  /** Adds a closed token, which replaces an open one. Unused ones are not kept any more. */
  addClosed({hash, outcome, expiresAt}: Omit<RecordOf<'closedToken'>, 'type'>): void {
    const token = this.#open.get(hash);
    if (token !== undefined) this.#remove(token);
    if (outcome === 'used') this.#closed.set(hash, Math.floor(expiresAt / day));
  }

  /** Records the first redemption of a token. */
  redeem({tokenHash, attemptId, idempotencyHash, at}: Redeemed): void {
    const token = this.#open.get(tokenHash);
    if (token === undefined) {
      // It may have been removed while its redemption was being written, if the clock was set.
      if (!this.#closed.has(tokenHash)) this.#closed.set(tokenHash, Math.floor(at / day));
      return;
    }
    if (token.redemption !== null) return;
    const redemption = {at, attemptId, idempotencyHash};
    this.#open.set(tokenHash, {...token, redemption});
    this.#usage.change(token.organization, {tokens: -counted(token)});
  }

  /**
   * Closes or removes the tokens whose time has come. Costs nothing for the others.
   *
   * @param now milliseconds since the Unix epoch
   */
  removeExpired(now: number): void {
    if (now < this.#nextLeave) return;
    for (const [leavesAt, hashes] of this.#leaving) {
      if (now < endOf(leavesAt)) continue;
      this.#leaving.delete(leavesAt);
      for (const hash of hashes) {
        const token = this.#open.get(hash);
        if (token !== undefined) this.#settle(token, now);
      }
    }
    this.#nextLeave = endOf(Math.min(...this.#leaving.keys()));
  }

  /** Closes or removes an expired token. @returns whether it stays open */
  #settle(token: TokenRecord, now: number): boolean {
    const {hash, expiresAt, redemption} = token;
    if (now < expiresAt + (redemption === null ? unusedTokenRetention : 0)) return true;
    this.#remove(token);
    if (redemption !== null) this.#closed.set(hash, Math.floor(expiresAt / day));
    return false;
  }

  #remove(token: TokenRecord): void {
    this.#open.delete(token.hash);
    this.#removed += 1;
    const tokens = -counted(token);
    this.#usage.change(token.organization, {tokens, bytes: -costOf('tokens', token.description)});
  }

  /**
   * All tokens as the records of a snapshot; see `State.snapshot`. Closes used tokens that have expired, removes
   * those that expired more than 30 days before `now`, and unused ones that expired more than an hour before. Closes
   * those of a connector that is not there, so that nothing of it stays on disk.
   *
   * @param now milliseconds since the Unix epoch
   */
  *snapshot(
    now: number,
    isThere: (connectorId: string) => boolean = () => true,
  ): Generator<RecordOf<'token'> | RecordOf<'closedToken'>> {
    this.#removed = 0;
    for (const token of this.#open.values()) {
      if (!this.#settle(token, now)) continue;
      const id = boundId(token);
      if (id !== '' && !isThere(id)) {
        this.#remove(token);
        this.#closed.set(token.hash, Math.floor(token.expiresAt / day));
        continue;
      }
      yield {type: 'token', ...token, redemption: token.redemption && {...token.redemption}};
    }
    // None of those that were removed meanwhile is in the snapshot.
    this.#removed = 0;
    for (const [hash, expiryDay] of this.#closed) {
      const expiresAt = expiryDay * day;
      if (expiresAt + (tokenRetentionDays + 1) * day <= now) this.#closed.delete(hash);
      else yield {type: 'closedToken', hash, outcome: 'used', expiresAt};
    }
  }
}
