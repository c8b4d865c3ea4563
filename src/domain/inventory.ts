import type {Finding} from './findings.js';

/** The states that an inventory can expect of a connector. */
export const expectedStates = ['online', 'present', 'absent'] as const;

/** One of `expectedStates`. */
export type ExpectedState = (typeof expectedStates)[number];

/** A connector that an inventory expects, by its id, its name, or both. */
export interface Expected {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** `present` where the inventory does not say. */
  readonly state: ExpectedState;
}

/** The fields of a connector that an inventory compares. */
export interface Present {
  readonly id: string;
  readonly name: string | undefined;
}

/**
 * Compares a fleet with a list of expected connectors. An entry with an id means that connector; an entry
 * with a name alone means one connector of that name, so names may repeat and are matched by count.
 */
export class Inventory {
  readonly #entries: Expected[] = [];
  /** For each entry the id of the connector that it was matched with. */
  readonly #found: (string | undefined)[] = [];
  /** Entries with an id, as indexes. */
  readonly #byId = new Map<string, number>();
  /** For each name the entries without a connector so far, as indexes, the last one first. */
  readonly #byName = new Map<string, number[]>();
  #names: ReadonlySet<string | undefined> | undefined;
  readonly #findings: Finding[] = [];
  readonly #allowUnexpected: boolean;

  /** @param allowUnexpected whether connectors outside the inventory are allowed */
  constructor(entries: Iterable<Expected>, allowUnexpected: boolean) {
    this.#allowUnexpected = allowUnexpected;
    for (const expected of entries) this.#expect(expected);
    // From the last to the first, so that the first entry of a name is taken first.
    for (let index = this.#entries.length - 1; index >= 0; index -= 1) {
      const {id, name} = this.#entries[index] ?? {};
      if (id !== undefined || name === undefined) continue;
      const indexes = this.#byName.get(name);
      if (indexes === undefined) this.#byName.set(name, [index]);
      else indexes.push(index);
    }
  }

  /** Entries that expect a connector to exist. */
  get size(): number {
    return this.#entries.filter(({state}) => state !== 'absent').length;
  }

  /** Whether it has no entry, so that nothing could be measured. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Matches a connector of the fleet. Returns its entry; undefined without one. */
  match(connector: Present): Expected | undefined {
    const index = this.#byId.get(connector.id) ?? this.#byName.get(connector.name ?? '')?.pop();
    if (index === undefined) {
      this.#unexpected(connector);
      return undefined;
    }
    this.#found[index] = connector.id;
    return this.#entries[index];
  }

  /** The findings after the whole fleet: one per entry, and one per connector without an entry. */
  findings(): readonly Finding[] {
    const verdicts = this.#entries.map((expected, index) =>
      verdictOn(expected, this.#found[index]),
    );
    return verdicts.concat(this.#findings);
  }

  #expect(expected: Expected): void {
    const {id} = expected;
    if (id !== undefined && this.#byId.has(id)) {
      this.#findings.push({
        id: 'duplicate',
        rule: 'expected',
        subject: label(expected),
        status: 'fail',
        message: `${label(expected)} is in the inventory more than once`,
      });
      return;
    }
    if (id !== undefined) this.#byId.set(id, this.#entries.length);
    this.#entries.push(expected);
    this.#found.push(undefined);
  }

  #unexpected(connector: Present): void {
    const {id, name} = connector;
    this.#names ??= new Set(this.#entries.map((expected) => expected.name));
    const isDuplicate = name !== undefined && this.#names.has(name);
    if (this.#allowUnexpected && !isDuplicate) return;
    const shown = name === undefined ? id : `${name} (${id})`;
    this.#findings.push({
      id: isDuplicate ? 'duplicate' : 'unexpected',
      rule: 'expected',
      subject: name ?? id,
      status: 'fail',
      message: isDuplicate ? `${shown} has the name of another connector` : shown,
      details: {id},
    });
  }
}

function verdictOn(expected: Expected, found: string | undefined): Finding {
  const subject = label(expected);
  const rule = 'expected';
  const isAbsent = expected.state === 'absent';
  if (found === undefined) {
    return isAbsent
      ? {id: 'absent', rule, subject, status: 'pass', message: `${subject} does not exist`}
      : {id: 'missing', rule, subject, status: 'fail', message: subject};
  }
  const details = {id: found};
  if (!isAbsent) return {id: 'expected', rule, subject, status: 'pass', message: subject, details};
  const message = `${subject} exists and should not`;
  return {id: 'present', rule, subject, status: 'fail', message, details};
}

function label({id, name}: Expected): string {
  return name ?? id ?? '';
}
