import {LRUCache} from 'lru-cache';
import {unusedTokenRetention} from '../../domain/activation.js';
import type {Bounds} from '../store.js';
import type {Database} from './connection/database.js';
import {statements} from './statements.js';

/** The most organizations that a process keeps an allowance for, and sends with a redemption. */
const organizations = 100;

/**
 * The parts of what is left, and of the bound, that a process may create before it counts again. With ten processes,
 * what all of them may create without a count is at most a tenth of the bound.
 */
const share = {left: 0.1, bound: 0.01} as const;

/** Milliseconds for which an organization that has reached its bound is not counted again. */
const fullMilliseconds = 2000;

/** What a process may still create for an organization before it counts. */
interface Allowance {
  left: number;
  /** Reserved or about to be committed: perhaps not in the last count. */
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
  readonly #database: Database;
  readonly #now: () => number;
  readonly #bounds: Bounds;
  readonly #allowances = {
    tokens: new LRUCache<string, Allowance>({max: organizations}),
    connectors: new LRUCache<string, Allowance>({max: organizations}),
  };

  constructor(database: Database, now: () => number, bounds: Bounds) {
    this.#database = database;
    this.#now = now;
    this.#bounds = bounds;
  }

  /**
   * Runs work that creates a record, unless the organization has reached its bound.
   *
   * @returns undefined when it has
   */
  async within<T>(
    organization: string,
    kind: keyof Bounds,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const allowance = this.#allowanceOf(organization, kind);
    while (allowance.left <= 0) {
      if (performance.now() < allowance.fullUntil) return undefined;
      allowance.counting ??= this.#count(organization, kind, allowance).finally(() => {
        allowance.counting = undefined;
      });
      await allowance.counting;
    }
    allowance.left -= 1;
    allowance.pending += 1;
    try {
      return await work();
    } finally {
      allowance.pending -= 1;
    }
  }

  /** The organizations with room for more connectors than the redemptions in progress may create. */
  open(inProgress: number): readonly string[] {
    const entries = [...this.#allowances.connectors.entries()];
    return entries.filter(([, {left}]) => left > inProgress).map(([organization]) => organization);
  }

  /** Counts a connector that was created without `within`. */
  created(organization: string): void {
    this.#allowanceOf(organization, 'connectors').left -= 1;
  }

  #allowanceOf(organization: string, kind: keyof Bounds): Allowance {
    const known = this.#allowances[kind].get(organization);
    if (known !== undefined) return known;
    const allowance = {left: 0, pending: 0, fullUntil: 0, counting: undefined};
    this.#allowances[kind].set(organization, allowance);
    return allowance;
  }

  async #count(organization: string, kind: keyof Bounds, allowance: Allowance): Promise<void> {
    const bound = this.#bounds[kind];
    const values = [organization, bound];
    const [row] =
      kind === 'tokens'
        ? await this.#database.query<{count: number}>(statements.countTokens, [
            ...values,
            this.#now() - unusedTokenRetention,
          ])
        : await this.#database.query<{count: number}>(statements.countConnectors, values);
    const count = row?.count ?? 0;
    if (count >= bound) allowance.fullUntil = performance.now() + fullMilliseconds;
    const left = bound - count - allowance.pending;
    allowance.left =
      left <= 0 ? 0 : Math.max(1, Math.floor(Math.min(left * share.left, bound * share.bound)));
  }
}
