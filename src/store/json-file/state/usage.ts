import type {StoreRecord} from '../format/records.js';

/**
 * Bytes of the heap that records take, with a quarter added for the growth of tables: `npm run bench:sizing` measures 236
 * for an unused token, 302 for a connector with a name of 16 characters, and 101 for the used token that
 * it leaves.
 */
const costs = {tokens: 320, connectors: 520, character: 2} as const;

/** The bytes that a record takes, approximately. @param text of variable length in it */
export function costOf(kind: 'tokens' | 'connectors', text: string | null): number {
  return costs[kind] + (text?.length ?? 0) * costs.character;
}

/** The bytes that a record of a file takes, approximately; those of the others are within the quarter. */
export function costOfRecord(record: StoreRecord): number {
  switch (record.type) {
    case 'connector':
      return costOf('connectors', record.name);
    case 'redemption':
      return costOf('connectors', record.connector.name);
    case 'token':
      return costOf('tokens', record.description);
    default:
      return 0;
  }
}

/** What one organization has in the store. */
export interface Usage {
  /** The one copy of the organization's name that its tokens share. */
  readonly organization: string;
  /** Unused tokens, also expired ones until they are removed. */
  readonly tokens: number;
  readonly connectors: number;
  /** Bytes of the heap, approximately. */
  readonly bytes: number;
}

/** By how much usage changes. */
type UsageChange = Partial<Record<'tokens' | 'connectors' | 'bytes', number>>;

/** Counts what each organization has in the store. */
export class UsageTable {
  readonly #organizations = new Map<string, {-readonly [key in keyof Usage]: Usage[key]}>();
  #bytes = 0;

  /** Of all organizations together. */
  get bytes(): number {
    return this.#bytes;
  }

  of(organization: string): Usage {
    return (
      this.#organizations.get(organization) ?? {organization, tokens: 0, connectors: 0, bytes: 0}
    );
  }

  /** The most tokens, and the most connectors, that one organization has. */
  largest(): {readonly tokens: number; readonly connectors: number} {
    const most = {tokens: 0, connectors: 0};
    for (const {tokens, connectors} of this.#organizations.values()) {
      most.tokens = Math.max(most.tokens, tokens);
      most.connectors = Math.max(most.connectors, connectors);
    }
    return most;
  }

  change(organization: string, {tokens = 0, connectors = 0, bytes = 0}: UsageChange): void {
    const usage = this.#organizations.get(organization) ?? {...this.of(organization)};
    usage.tokens += tokens;
    usage.connectors += connectors;
    usage.bytes += bytes;
    this.#bytes += bytes;
    this.#organizations.set(usage.organization, usage);
  }
}
