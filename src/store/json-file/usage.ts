import type {ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Bounds} from '../store.js';

/** The record counts of one organization; `tokens` has only those that count toward the bound. */
type Usage = Record<keyof Bounds, number>;

type Counted = TokenRecord | Pick<ConnectorRecord, 'organization' | 'name'>;

/** Counts the records of each organization. */
export class UsageTable {
  readonly #base: UsageTable | undefined;
  readonly #organizations = new Map<string, Usage>();

  /** @param base the initial counts; it does not change while this table is in use */
  constructor(base?: UsageTable) {
    this.#base = base;
  }

  of(organization: string): Usage {
    const known = this.#organizations.get(organization);
    if (known !== undefined) return known;
    const usage = {tokens: 0, connectors: 0, ...this.#base?.of(organization)};
    this.#organizations.set(organization, usage);
    return usage;
  }

  /** The most tokens, and the most connectors, that one organization has. */
  largest(): Bounds {
    const most = {tokens: 0, connectors: 0};
    for (const {tokens, connectors} of this.#organizations.values()) {
      most.tokens = Math.max(most.tokens, tokens);
      most.connectors = Math.max(most.connectors, connectors);
    }
    return most;
  }

  /** Counts `after` in place of `before`; undefined stands for no record. */
  replace(before: Counted | undefined, after: Counted | undefined): void {
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  #add(record: Counted, sign: 1 | -1): void {
    const usage = this.of(record.organization);
    if ('name' in record) usage.connectors += sign;
    else if (record.redemption === null && record.reissues === null) usage.tokens += sign;
  }
}
