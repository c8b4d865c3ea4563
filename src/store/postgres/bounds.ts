import {LRUCache} from 'lru-cache';
import {unusedTokenRetention} from '../../domain/activation.js';
import type {Bounds} from '../store.js';
import type {Run} from './database.js';
import {statements} from './tables.js';

/** The most organizations and kinds of records that a process keeps an allowance for. */
const allowances = 200;

/**
 * The parts of what is left, and of the bound, that a process may create before it counts again. With ten processes,
 * what all of them may create without a count is at most a tenth of the bound.
 */
const share = {left: 0.1, bound: 0.01} as const;

/** Milliseconds for which an organization that has reached its bound is not counted again. */
const fullMilliseconds = 2000;

/** What a process may still create for an organization before it counts. */
export interface Allowance {
  left: number;
  /** Reserved by transactions that have not ended: perhaps not in the last count. */
  pending: number;
  /** On the monotonic clock. */
  fullUntil: number;
  counting: Promise<void> | undefined;
}

/**
 * Bounds of each organization. A process counts an organization's records, and again once it has created a small part
 * of what was left. So no row and no lock is shared, and a bound may be exceeded by a few records, or 10 % if large.
 */
export class OrganizationBounds {
  readonly #now: () => number;
  readonly #bounds: Bounds;
  readonly #allowances = new LRUCache<string, Allowance>({max: allowances});

  constructor(bounds: Bounds, now: () => number) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /**
   * Reserves room for one more record. Whoever gets an allowance lowers its `pending` when the transaction has ended.
   *
   * @returns undefined when the organization has reached its bound
   */
  async reserve(
    run: Run,
    organization: string,
    kind: keyof Bounds,
  ): Promise<Allowance | undefined> {
    const key = `${kind} ${organization}`;
    const none = {left: 0, pending: 0, fullUntil: 0, counting: undefined};
    const allowance: Allowance = this.#allowances.get(key) ?? none;
    this.#allowances.set(key, allowance);
    while (allowance.left <= 0) {
      if (performance.now() < allowance.fullUntil) return undefined;
      allowance.counting ??= this.#count(run, organization, kind, allowance).finally(() => {
        allowance.counting = undefined;
      });
      await allowance.counting;
    }
    allowance.left -= 1;
    allowance.pending += 1;
    return allowance;
  }

  async #count(run: Run, organization: string, kind: keyof Bounds, allowance: Allowance) {
    const bound = this.#bounds[kind];
    const countable = kind === 'tokens' ? [this.#now() - unusedTokenRetention] : [];
    const statement = kind === 'tokens' ? statements.countTokens : statements.countConnectors;
    // Before the count: what is committed meanwhile may be missing in it.
    const {pending} = allowance;
    const [row] = await run<{count: number}>(statement, [organization, bound, ...countable]);
    const left = bound - (row?.count ?? bound);
    if (left <= 0) allowance.fullUntil = performance.now() + fullMilliseconds;
    const free = left - pending;
    allowance.left =
      free <= 0 ? 0 : Math.max(1, Math.floor(Math.min(free * share.left, bound * share.bound)));
  }
}
