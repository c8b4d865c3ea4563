import type {Finding} from './findings.js';

/** What an inventory expects of a connector. */
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

/** A connector as far as an inventory looks at it. */
export interface Present {
  readonly id: string;
  readonly name: string | undefined;
}

/** An entry of an inventory, and the connector that it was matched with. */
interface Match {
  readonly expected: Expected;
  found: Present | undefined;
}

/**
 * Compares a fleet with a list of what should exist. An entry with an id stands for that connector;
 * one with a name alone stands for one connector of that name, so that names may repeat and are matched
 * by count.
 */
export class Inventory {
  readonly #byId = new Map<string, Match>();
  /** Entries by name that no connector has been matched with yet. */
  readonly #byName = new Map<string, Match[]>();
  readonly #names = new Set<string>();
  readonly #entries: Match[] = [];
  readonly #findings: Finding[] = [];
  readonly #allowUnexpected: boolean;

  /** @param allowUnexpected whether a connector that the inventory does not name is no finding */
  constructor(entries: Iterable<Expected>, allowUnexpected: boolean) {
    this.#allowUnexpected = allowUnexpected;
    for (const expected of entries) this.#expect(expected);
  }

  /** Entries that expect a connector to exist. */
  get size(): number {
    return this.#entries.filter(({expected}) => expected.state !== 'absent').length;
  }

  /** Whether nothing at all is expected, so that nothing could be measured. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Takes a connector of the fleet. Returns the entry that stands for it; undefined for none. */
  match(connector: Present): Expected | undefined {
    const match = this.#byId.get(connector.id) ?? this.#openByName(connector.name);
    if (match === undefined) {
      this.#unexpected(connector);
      return undefined;
    }
    match.found = connector;
    return match.expected;
  }

  /** The findings, once the whole fleet was taken: one per entry, and one per connector without one. */
  *findings(): Generator<Finding> {
    for (const {expected, found} of this.#entries) yield verdictOn(expected, found);
    yield* this.#findings;
  }

  #expect(expected: Expected): void {
    const {id, name} = expected;
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
    const match: Match = {expected, found: undefined};
    this.#entries.push(match);
    if (name !== undefined) this.#names.add(name);
    if (id !== undefined) this.#byId.set(id, match);
    else if (name !== undefined) {
      const others = this.#byName.get(name);
      if (others === undefined) this.#byName.set(name, [match]);
      else others.push(match);
    }
  }

  #openByName(name: string | undefined): Match | undefined {
    return name === undefined ? undefined : this.#byName.get(name)?.shift();
  }

  #unexpected(connector: Present): void {
    const {id, name} = connector;
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

function verdictOn(expected: Expected, found: Present | undefined): Finding {
  const subject = label(expected);
  const common = {rule: 'expected', subject} as const;
  if (expected.state === 'absent') {
    return found === undefined
      ? {...common, id: 'absent', status: 'pass', message: `${subject} does not exist`}
      : {
          ...common,
          id: 'present',
          status: 'fail',
          message: `${subject} exists and should not`,
          details: {id: found.id},
        };
  }
  return found === undefined
    ? {...common, id: 'missing', status: 'fail', message: subject}
    : {...common, id: 'expected', status: 'pass', message: subject, details: {id: found.id}};
}

function label({id, name}: Expected): string {
  return name ?? id ?? '';
}
