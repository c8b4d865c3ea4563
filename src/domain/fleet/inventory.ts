import type {Finding} from './findings.js';

/** The states that an inventory can expect of a connector; entries of one name are matched in this order. */
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

/** A connector, reduced to what a check compares and shows. */
export interface Member {
  readonly id: string;
  readonly name: string | undefined;
  /** In lower case; undefined where the service sends none. */
  readonly status: string | undefined;
  /** Milliseconds since the Unix epoch; null if it never sent a heartbeat, undefined if that was not read. */
  readonly lastHeartbeatAt: number | null | undefined;
}

/** How an inventory is compared. */
interface InventoryOptions {
  /** Whether connectors that stand for no entry are allowed. */
  readonly allowUnexpected: boolean;
  /** Whether a name is checked at all. */
  readonly isWanted?: (name: string) => boolean;
}

/** What an inventory says about a fleet. */
interface Comparison {
  /** Whether it has no entry, so that nothing could be measured. */
  readonly isEmpty: boolean;
  /** Entries that expect a connector to exist. */
  readonly size: number;
  /** The connectors that stand for these entries. */
  readonly members: readonly Member[];
  /** One per entry, and one per connector that stands for none. */
  readonly findings: readonly Finding[];
}

/** An entry, and what was found for it. */
interface Entry {
  readonly expected: Expected;
  /** Entries of the same id after it. */
  repeats: number;
  found?: Member;
  isRevoked?: boolean;
  isOutside?: boolean;
}

/** The entries of a name without an id, and the connectors of that name. */
interface Namesakes {
  readonly entries: Entry[];
  readonly connectors: Member[];
}

/**
 * Compares a fleet with a list of expected connectors. An entry with an id means that connector. An entry
 * with a name alone means one connector of that name: the most alive of those that stand for no other entry.
 */
export class Inventory {
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, Entry>();
  readonly #byName = new Map<string, Namesakes>();
  readonly #others: Member[] = [];
  readonly #options: InventoryOptions;

  constructor(entries: Iterable<Expected>, options: InventoryOptions) {
    this.#options = options;
    for (const expected of entries) this.#expect(expected);
  }

  /** Adds a connector of the fleet. */
  add(connector: Member): void {
    const entry = this.#byId.get(connector.id);
    const namesakes = this.#byName.get(keyOf(connector.name ?? ''));
    if (entry !== undefined) entry.found = connector;
    else if (namesakes !== undefined) namesakes.connectors.push(connector);
    else if (!this.#options.allowUnexpected) this.#others.push(connector);
  }

  /** Adds a connector that exists but is revoked, and so stands for no name. */
  addRevoked(id: string): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined) entry.isRevoked = true;
  }

  /** Leaves out the entry of a connector whose name is not checked. */
  leaveOut(id: string): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined) entry.isOutside = true;
  }

  /** The comparison with all connectors that were added. */
  compare(): Comparison {
    const {allowUnexpected} = this.#options;
    const surplus = [...this.#byName.values()].flatMap((namesakes) =>
      matchByName(namesakes, allowUnexpected),
    );
    const entries = this.#entries.filter((entry) => this.#isInside(entry));
    const expected = entries.filter((entry) => entry.expected.state !== 'absent');
    const names = new Set(entries.map(({expected: {name}}) => name && keyOf(name)));
    const others = this.#others.map((other) =>
      other.name && names.has(keyOf(other.name)) ? duplicate(other) : unexpected(other),
    );
    return {
      isEmpty: entries.length === 0,
      size: expected.length,
      members: expected.flatMap(({found}) => found ?? []),
      findings: [...entries.flatMap(verdictOn), ...surplus, ...others],
    };
  }

  #expect(expected: Expected): void {
    const {id, name} = expected;
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) {
      known.repeats += 1;
      return;
    }
    const entry = {expected, repeats: 0};
    this.#entries.push(entry);
    if (id !== undefined) this.#byId.set(id, entry);
    if (id !== undefined || name === undefined) return;
    const namesakes = this.#byName.get(keyOf(name));
    if (namesakes === undefined) this.#byName.set(keyOf(name), {entries: [entry], connectors: []});
    else namesakes.entries.push(entry);
  }

  /** The name of the connector decides; that of the entry only where no connector has its id. */
  #isInside({expected: {name}, found, isRevoked, isOutside}: Entry): boolean {
    if (found !== undefined || isRevoked) return true;
    return !isOutside && (name === undefined || (this.#options.isWanted?.(name) ?? true));
  }
}

/** An accent typed as one character equals the same accent typed as two. */
function keyOf(name: string): string {
  return name.normalize('NFC');
}

/** The statuses, the most alive last; others come before them. */
const liveliest: readonly (string | undefined)[] = ['never', 'offline', 'stale', 'online'];

function byLiveliness(one: Member, other: Member): number {
  return (
    liveliest.indexOf(other.status) - liveliest.indexOf(one.status) ||
    (other.lastHeartbeatAt ?? 0) - (one.lastHeartbeatAt ?? 0)
  );
}

function byState(one: Entry, other: Entry): number {
  const place = ({expected}: Entry) => expectedStates.indexOf(expected.state);
  return place(one) - place(other);
}

/** Matches the entries of a name with its connectors. Returns findings about the connectors that are left. */
function matchByName(
  {entries, connectors}: Namesakes,
  allowUnexpected: boolean,
): readonly Finding[] {
  connectors.sort(byLiveliness);
  entries.sort(byState);
  for (const [index, entry] of entries.entries()) {
    const found = connectors[index];
    if (found !== undefined) entry.found = found;
  }
  const left = connectors.slice(entries.length);
  if (entries.at(-1)?.expected.state === 'absent') return left.map(present);
  return allowUnexpected ? [] : left.map(duplicate);
}

const rule = 'expected';

function verdictOn({expected, repeats, found, isRevoked}: Entry): readonly Finding[] {
  const subject = expected.name ?? expected.id ?? '';
  const repeated: Finding = {
    id: 'duplicate',
    rule,
    subject,
    status: 'fail',
    message: `${subject} is in the inventory more than once`,
  };
  const verdict = isRevoked ? onRevoked(expected, subject) : onFound(expected, found, subject);
  return repeats === 0 ? [verdict] : [verdict, repeated];
}

function onRevoked({id, state}: Expected, subject: string): Finding {
  const status = state === 'absent' ? 'pass' : 'fail';
  const details = {id: id ?? null};
  return {id: 'revoked', rule, subject, status, message: `${subject} is revoked`, details};
}

function onFound({state, id}: Expected, found: Member | undefined, subject: string): Finding {
  if (found === undefined) {
    const details = id === undefined ? {} : {details: {id}};
    return state === 'absent'
      ? {id: 'absent', rule, subject, status: 'pass', message: `${subject} does not exist`}
      : {id: 'missing', rule, subject, status: 'fail', message: subject, ...details};
  }
  if (state === 'absent') return {...present(found), subject};
  const details = {id: found.id};
  if (state === 'present' || found.status === 'online')
    return {id: 'expected', rule, subject, status: 'pass', message: subject, details};
  const message = `${subject} (expected online)`;
  return {id: found.status ?? 'unknown', rule, subject, status: 'fail', message, details};
}

function present(connector: Member): Finding {
  return surplus('present', connector, `${labelOf(connector)} exists and should not`);
}

function duplicate(connector: Member): Finding {
  return surplus('duplicate', connector, `${labelOf(connector)} has the name of another connector`);
}

function unexpected(connector: Member): Finding {
  return surplus('unexpected', connector, labelOf(connector));
}

function surplus(check: string, {id, name}: Member, message: string): Finding {
  return {id: check, rule, subject: name ?? id, status: 'fail', message, details: {id}};
}

function labelOf({id, name}: Member): string {
  return name === undefined ? id : `${name} (${id})`;
}
