import type {ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {type Bounds, StoreError} from '../store.js';

/**
 * Bytes of the heap that records take, with at least a quarter added for the growth of tables: 236 for a token, and 302 for
 * a connector with a name of 16 characters.
 */
const costs = {tokens: 320, connectors: 520, character: 2} as const;

/** Approximate size of a record in bytes. @param text of variable length in it */
export function costOf(kind: 'tokens' | 'connectors', text: string | null): number {
  return costs[kind] + (text?.length ?? 0) * costs.character;
}

/** Usage of the store by one organization: `tokens` that count toward the bound, `bytes` of the heap. */
type Usage = Readonly<Record<'tokens' | 'connectors' | 'bytes', number>>;

const none: Usage = {tokens: 0, connectors: 0, bytes: 0};

/** Counts the records of each organization. */
export class UsageTable {
  readonly #base: UsageTable | undefined;
  readonly #organizations = new Map<string, Usage>();
  #bytes = 0;

  /** @param base what this table adds to */
  constructor(base?: UsageTable) {
    this.#base = base;
  }

  /** Of all organizations together. */
  get bytes(): number {
    return this.#bytes + (this.#base?.bytes ?? 0);
  }

  of(organization: string): Usage {
    const own = this.#organizations.get(organization) ?? none;
    return this.#base === undefined ? own : sum(own, this.#base.of(organization), 1);
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

  #add(record: Counted, sign: 1 | -1): void {
    const usage = usageOf(record);
    const before = this.#organizations.get(record.organization) ?? none;
    this.#organizations.set(record.organization, sum(before, usage, sign));
    this.#bytes += sign * usage.bytes;
  }
}

type Counted = TokenRecord | Pick<ConnectorRecord, 'organization' | 'name'>;

function usageOf(record: Counted): Usage {
  if ('name' in record) return {tokens: 0, connectors: 1, bytes: costOf('connectors', record.name)};
  const tokens = record.redemption === null && record.reissues === null ? 1 : 0;
  return {tokens, connectors: 0, bytes: costOf('tokens', record.description)};
}

function sum(one: Usage, other: Usage, sign: 1 | -1): Usage {
  return {
    tokens: one.tokens + sign * other.tokens,
    connectors: one.connectors + sign * other.connectors,
    bytes: one.bytes + sign * other.bytes,
  };
}

/** Refuses new records before one organization, or all together, take the memory that others or the service need. */
export class RecordBounds {
  readonly perOrganization: Bounds;
  readonly #recordBytes: number;

  /** @param recordBytes of the heap, for the records of all organizations; one of them may take half of it */
  constructor(perOrganization: Bounds, recordBytes: number) {
    this.perOrganization = perOrganization;
    this.#recordBytes = recordBytes;
  }

  /**
   * Whether an organization may have one more record.
   *
   * @param text of variable length in the record
   * @throws StoreError of kind `too-large` when the heap has no room for it
   */
  hasRoom(
    table: UsageTable,
    organization: string,
    kind: keyof Bounds,
    text: string | null,
  ): boolean {
    const usage = table.of(organization);
    const cost = costOf(kind, text);
    if (usage[kind] >= this.perOrganization[kind]) return false;
    const most = this.#recordBytes;
    if (usage.bytes + cost <= most / 2 && table.bytes + cost <= most) return true;
    throw new StoreError('too-large', 'The heap has no room for more records.');
  }
}
