import {LRUCache} from 'lru-cache';
import {tokenRetention} from '../../domain/activation.js';
import type {Bounds} from '../store.js';
import type {Run} from './database.js';
import {statements} from './tables.js';

/** Maximum number of counts that a process remembers, one for each organization and kind of record. */
const remembered = 200;

/**
 * A process creates at most these shares of the remainder and of the bound before it counts again: ten processes create
 * at most a tenth of the bound without a count.
 */
const share = {left: 0.1, bound: 0.01} as const;

/** Milliseconds for which an organization that has reached its bound is not counted again. */
const fullMilliseconds = 2000;

/**
 * Enforces the bounds of each organization. A process counts an organization's records, and counts again once it has
 * created a small part of the remainder. Near the bound it counts before each new record, in one transaction at a time.
 * So ten processes exceed a bound by at most 10 %, and a bound below 100 is never exceeded.
 */
export class OrganizationBounds {
  readonly #bounds: Bounds;
  readonly #now: () => number;
  /** Records that this process may create before it counts again; negative at the bound. */
  readonly #left = new LRUCache<string, number>({max: remembered});

  constructor(bounds: Bounds, now: () => number) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /** See `Transaction.hasRoom`. */
  async hasRoom(run: Run, organization: string, kind: keyof Bounds): Promise<boolean> {
    const key = `${kind} ${organization}`;
    const known = this.#take(key);
    if (known !== undefined) return known;
    // Locked until the end of the transaction, so that the next one counts what this one creates.
    await run(statements.lockBound, [key]);
    return this.#take(key) ?? this.#count(run, organization, kind);
  }

  /** Takes one record of the known remainder. @returns whether there was room; undefined if it must count first */
  #take(key: string): boolean | undefined {
    const left = this.#left.get(key) ?? 0;
    if (left > 0) this.#left.set(key, left - 1);
    return left === 0 ? undefined : left > 0;
  }

  async #count(run: Run, organization: string, kind: keyof Bounds): Promise<boolean> {
    const bound = this.#bounds[kind];
    const countable = kind === 'tokens' ? [this.#now() - tokenRetention] : [];
    const statement = kind === 'tokens' ? statements.countTokens : statements.countConnectors;
    const [row] = await run<{count: number}>(statement, [organization, bound, ...countable]);
    const left = bound - (row?.count ?? bound);
    const free = Math.floor(Math.min(left * share.left, bound * share.bound));
    const [next, ttl] = left > 0 ? [free, 0] : [-1, fullMilliseconds];
    this.#left.set(`${kind} ${organization}`, next, {ttl});
    return left > 0;
  }
}
