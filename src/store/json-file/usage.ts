import type {ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {type Bounds, StoreError} from '../store.js';

/**
 * Bytes of the heap per record: the measured 236 for a token, and 332 for a connector with a name of 16 characters, and
 * at least a quarter more for the growth of tables.
 */
const costs = {tokens: 320, connectors: 520, character: 2} as const;

/** Approximate size of a record in bytes. @param text the part of variable length */
export function costOf(kind: 'tokens' | 'connectors', text: string | null): number {
  return costs[kind] + (text?.length ?? 0) * costs.character;
}

/** Usage of the store by one organization: `tokens` that count toward the bound, `bytes` of the heap. */
type Usage = Record<'tokens' | 'connectors' | 'bytes', number>;

type Counted = TokenRecord | Pick<ConnectorRecord, 'organization' | 'name'>;

/** Bounds that keep one organization, or all together, from the memory that others or the service need. */
export interface RecordBounds {
  readonly perOrganization: Bounds;
  /** Bytes of the heap for the records of all organizations; one of them may take half. */
  readonly bytes: number;
}

/** Counts the records of each organization. */
export class UsageTable {
  readonly #base: UsageTable | undefined;
  readonly #organizations = new Map<string, Usage>();
  /** Bytes of all organizations together. */
  bytes: number;

  /** @param base the initial counts; it does not change while this table is in use */
  constructor(base?: UsageTable) {
    this.#base = base;
    this.bytes = base?.bytes ?? 0;
  }

  of(organization: string): Usage {
    const known = this.#organizations.get(organization);
    if (known !== undefined) return known;
    const usage = {
      tokens: 0,
      connectors: 0,
      bytes: 0,
      ...this.#base?.of(organization),
    };
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

  /** Counts a record instead of another one; undefined is none. */
  replace(before: Counted | undefined, after: Counted | undefined): void {
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  /**
   * Whether an organization may have one more record.
   *
   * @param text the part of the record that has a variable length
   * @throws StoreError of kind `too-large` when the heap has no room for it
   */
  hasRoom(
    {perOrganization, bytes}: RecordBounds,
    organization: string,
    kind: keyof Bounds,
    text: string | null,
  ): boolean {
    const usage = this.of(organization);
    if (usage[kind] >= perOrganization[kind]) return false;
    const cost = costOf(kind, text);
    if (usage.bytes + cost <= bytes / 2 && this.bytes + cost <= bytes) return true;
    throw new StoreError('too-large', 'The heap has no room for more records.');
  }

  #add(record: Counted, sign: 1 | -1): void {
    const usage = this.of(record.organization);
    const isConnector = 'name' in record;
    const bytes = isConnector
      ? costOf('connectors', record.name)
      : costOf('tokens', record.description);
    if (isConnector) usage.connectors += sign;
    else if (record.redemption === null && record.reissues === null) usage.tokens += sign;
    usage.bytes += sign * bytes;
    this.bytes += sign * bytes;
  }
}
