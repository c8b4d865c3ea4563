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

/** What one organization has in the store. */
export interface Usage {
  /** Tokens that count toward the bound; see `isCounted`. */
  readonly tokens: number;
  readonly connectors: number;
  /** Bytes of the heap, approximately. */
  readonly bytes: number;
}

const none: Usage = {tokens: 0, connectors: 0, bytes: 0};

/** What one record takes, and in which organization. */
export interface RecordUsage extends Usage {
  readonly organization: string;
}

/** Counts what each organization has. */
export class UsageTable {
  readonly #organizations = new Map<string, {-readonly [key in keyof Usage]: Usage[key]}>();
  #bytes = 0;

  /** Of all organizations together. */
  get bytes(): number {
    return this.#bytes;
  }

  of(organization: string): Usage {
    return this.#organizations.get(organization) ?? none;
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

  /** Counts a record instead of another one; undefined is none. */
  replace(before: RecordUsage | undefined, after: RecordUsage | undefined): void {
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  #add({organization, tokens, connectors, bytes}: RecordUsage, sign: 1 | -1): void {
    let usage = this.#organizations.get(organization);
    if (usage === undefined) {
      usage = {...none};
      this.#organizations.set(organization, usage);
    }
    usage.tokens += sign * tokens;
    usage.connectors += sign * connectors;
    usage.bytes += sign * bytes;
    this.#bytes += sign * bytes;
  }
}
