import type {Finding} from './findings.js';
import {connectorFinding, type Flaw} from './sentence.js';

/** The states that an inventory can expect of a connector; entries of one name are matched in this order. */
export const expectedStates = ['online', 'present', 'absent'] as const;

export type ExpectedState = (typeof expectedStates)[number];

/** A connector that an inventory expects, by its id, its name, or both. */
export interface Expected {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** `present` unless the inventory says otherwise. */
  readonly state: ExpectedState;
}

/** The parts of a connector that a check compares and shows. */
export interface Member {
  readonly id: string;
  readonly name: string | undefined;
  /** In lower case; undefined where the service sends none. */
  readonly status: string | undefined;
  /** Milliseconds since the Unix epoch; null before the first heartbeat, undefined if the time was not read. */
  readonly lastHeartbeatAt: number | null | undefined;
  readonly flaws: readonly Flaw[];
}

/** The fleet that an inventory is compared with. */
export interface Fleet {
  readonly members: readonly Member[];
  /** The ids of revoked connectors, which never match by name. */
  readonly revoked: ReadonlySet<string>;
  /** The ids of connectors that are not checked because of their names. */
  readonly leftOut: ReadonlySet<string>;
}

/** Options of the comparison with an inventory. */
interface InventoryOptions {
  /** Whether connectors that match no entry are allowed. */
  readonly allowUnexpected: boolean;
  /** Whether a connector of this name is checked. */
  readonly isWanted: (name: string) => boolean;
  /** The inventory in messages, such as the name of its file. */
  readonly source: string;
}

/** The comparison of a fleet with an inventory. */
export interface Comparison {
  /** Whether nothing was measured, because no entry is left to check. */
  readonly isEmpty: boolean;
  /** Number of entries that expect a connector to exist. */
  readonly size: number;
  /** The connectors found for entries that expect one. */
  readonly members: readonly Member[];
  /** At least one per entry, and one per unexpected connector. */
  readonly findings: readonly Finding[];
}

/** An entry, and the connector found for it. */
interface MatchedEntry {
  readonly expected: Expected;
  /** Whether a later entry has the same id. */
  isRepeated?: boolean;
  found?: Member | undefined;
}

/**
 * Compares a fleet with a list of expected connectors. An entry with an id matches that connector. An entry with a name
 * alone matches one connector of that name: the most alive of those that match no other entry.
 */
export function compareInventory(
  inventory: Iterable<Expected>,
  {members, revoked, leftOut}: Fleet,
  {allowUnexpected, isWanted, source}: InventoryOptions,
): Comparison {
  const all = entriesOf(inventory);
  const {named, others} = match(all, members);
  // A connector's own name decides whether its entry is checked; the entry's name does only if no connector has its id.
  const entries = all.filter(({expected: {id = '', name}, found}) => {
    if (found !== undefined || revoked.has(id)) return true;
    return !leftOut.has(id) && (name === undefined || isWanted(name));
  });
  const expected = entries.filter((entry) => entry.expected.state !== 'absent');
  const entryNear = nearest(entries.map((entry) => entry.expected));
  const otherNear = nearest(others);
  const states = new Map(named.map(({expected: {name, state}}) => [keyOf(name), state]));
  const unmatched = others.flatMap(({id, name}): readonly Difference[] => {
    const state = states.get(keyOf(name));
    if (state === 'absent') return [{id, name, check: 'present', wanted: 'expected absent by'}];
    if (allowUnexpected) return [];
    if (state !== undefined)
      return [{id, name, check: 'duplicate', wanted: 'another connector has the name in'}];
    const near = entryNear(name);
    const check = near && isSame(near, name) ? 'duplicate' : 'unexpected';
    return [{id, name, check, wanted: 'not in', near}];
  });
  const differences = entries.flatMap((entry): readonly Difference[] => {
    const {id, name} = entry.expected;
    const repeated = {id, name, check: 'duplicate', wanted: 'more than once in'};
    const difference = differenceOf(entry, revoked.has(id ?? ''), otherNear(name));
    return entry.isRepeated ? [difference, repeated] : [difference];
  });
  return {
    isEmpty: entries.length === 0,
    size: expected.length,
    members: expected.flatMap(({found}) => found ?? []),
    findings: [...differences, ...unmatched].map((one) => findingOf(one, source)),
  };
}

/** The entries; those with the same id become one. */
function entriesOf(inventory: Iterable<Expected>): readonly MatchedEntry[] {
  const entries = new Map<unknown, MatchedEntry>();
  for (const expected of inventory) {
    const known = entries.get(expected.id ?? expected);
    if (known === undefined) entries.set(expected.id ?? expected, {expected});
    else known.isRepeated = true;
  }
  return [...entries.values()];
}

/** Finds the connectors of entries. Returns the entries with a name alone, by state, and the connectors of no entry. */
function match(entries: readonly MatchedEntry[], members: readonly Member[]) {
  const byId = new Map(entries.map((entry) => [entry.expected.id, entry]));
  const named = entries.filter(({expected}) => expected.id === undefined).sort(byState);
  const others = new Set<Member>();
  const waiting = new Map<string, Member[]>(named.map(({expected}) => [keyOf(expected.name), []]));
  for (const connector of members) {
    const entry = byId.get(connector.id);
    if (entry === undefined) others.add(connector);
    else entry.found = connector;
  }
  for (const connector of [...others].sort(byLiveliness))
    waiting.get(keyOf(connector.name))?.push(connector);
  for (const entry of named) {
    entry.found = waiting.get(keyOf(entry.expected.name))?.shift();
    if (entry.found !== undefined) others.delete(entry.found);
  }
  return {named, others: [...others]};
}

/** A name in NFC: an accent typed as one character equals the same accent typed as two. */
function keyOf(name = ''): string {
  return name.normalize('NFC');
}

/** The statuses, the most alive last; any other is less alive. */
const liveliest: readonly (string | undefined)[] = ['never', 'offline', 'stale', 'online'];

function byLiveliness(one: Member, other: Member): number {
  return (
    liveliest.indexOf(other.status) - liveliest.indexOf(one.status) ||
    (other.lastHeartbeatAt ?? 0) - (one.lastHeartbeatAt ?? 0)
  );
}

function byState(one: MatchedEntry, other: MatchedEntry): number {
  const place = ({expected}: MatchedEntry) => expectedStates.indexOf(expected.state);
  return place(one) - place(other);
}

/** The result for an entry, or for a connector without an entry. */
interface Difference extends Pick<Expected, 'id' | 'name'> {
  readonly check: string;
  /** What the inventory wants, in the words before its name, such as `expected by`; undefined if that is met. */
  readonly wanted?: string | undefined;
  /** A connector (for an entry) or an entry (for a connector) with nearly the same name. */
  readonly near?: Pick<Expected, 'id' | 'name'> | undefined;
}

/** Compares an entry with the connector found for it. */
function differenceOf(
  {expected: {id, name, state}, found}: MatchedEntry,
  isRevoked: boolean,
  near: Member | undefined,
): Difference {
  const about = {id: id ?? found?.id, name};
  const wanted = state === 'present' ? 'expected by' : `expected ${state} by`;
  if (state === 'absent') {
    if (found !== undefined && !isRevoked) return {...about, check: 'present', wanted};
    return {...about, check: isRevoked ? 'revoked' : 'absent'};
  }
  if (isRevoked) return {...about, check: 'revoked', wanted};
  if (found === undefined) return {...about, check: 'missing', wanted, near};
  const {status = 'unknown'} = found;
  const isMet = state === 'present' || status === 'online';
  return isMet ? {...about, check: 'expected'} : {...about, check: status, wanted};
}

/** Creates a search for the item with a name, or else with a name that differs only in case. */
function nearest<T extends Pick<Expected, 'name'>>(items: readonly T[]) {
  const folded = (name: string) => keyOf(name).toLowerCase();
  const keyed = (key: (name: string) => string) =>
    items.flatMap((item) => (item.name ? [[key(item.name), item] as const] : []));
  const index = new Map([...keyed(folded), ...keyed(keyOf)]);
  return (name = '') => index.get(keyOf(name)) ?? index.get(folded(name));
}

const isSame = (one: Pick<Expected, 'name'>, name?: string) => keyOf(one.name) === keyOf(name);

function findingOf({id, name, check, wanted, near}: Difference, source: string): Finding {
  const about = {rule: 'expected', id, name} as const;
  if (wanted === undefined) return connectorFinding(check, {...about, status: 'pass'});
  const lacking = check === 'missing' ? ', not at the service' : '';
  const where =
    near === undefined
      ? ''
      : `, where ${near.name} ${isSame(near, name) ? `has the id ${near.id}` : 'differs in case alone'}`;
  return connectorFinding(check, {
    ...about,
    status: 'fail',
    wanted: `${wanted} ${source}${lacking}${where}`,
  });
}
