import type {Finding} from './findings.js';
import {connectorFinding} from './sentence.js';

/** The states that an inventory can expect of a connector; entries of one name are matched in this order. */
export const expectedStates = ['online', 'present', 'absent'] as const;

export type ExpectedState = (typeof expectedStates)[number];

/** A connector that an inventory expects, by its id, its name, or both. */
export interface Expected {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** `present` where the inventory does not say. */
  readonly state: ExpectedState;
}

/** The parts of a connector that a check compares and shows. */
export interface Member {
  readonly id: string;
  readonly name: string | undefined;
  /** In lower case; undefined where the service sends none. */
  readonly status: string | undefined;
  /** Milliseconds since the Unix epoch; null if it never sent a heartbeat, undefined if that was not read. */
  readonly lastHeartbeatAt: number | null | undefined;
  /** Whether two processes send its heartbeats in turn. */
  readonly isShared?: boolean;
}

/** The fleet that an inventory is compared with. */
export interface Fleet {
  readonly members: readonly Member[];
  /** The ids of revoked connectors, which match no name. */
  readonly revoked: ReadonlySet<string>;
  /** The ids of connectors whose names are not checked. */
  readonly leftOut: ReadonlySet<string>;
}

/** Options of the comparison with an inventory. */
interface InventoryOptions {
  /** Whether connectors that match no entry are allowed. */
  readonly allowUnexpected: boolean;
  /** Whether a name is checked at all. */
  readonly isWanted: (name: string) => boolean;
  /** The inventory in messages, such as the name of its file. */
  readonly source: string;
}

/** The comparison of a fleet with an inventory. */
export interface Comparison {
  /** Whether no entry is left to check, so that nothing was measured. */
  readonly isEmpty: boolean;
  /** Whether it has ids, and the service none of them, as for the ids of another system. */
  readonly isForeign: boolean;
  /** Number of entries that expect a connector to exist. */
  readonly size: number;
  /** The connectors that match entries which expect one. */
  readonly members: readonly Member[];
  /** At least one per entry, and one per unexpected connector. */
  readonly findings: readonly Finding[];
}

/** An entry, and the connector found for it. */
interface Entry {
  readonly expected: Expected;
  /** Number of later entries with the same id. */
  repeats: number;
  found?: Member | undefined;
}

/** The entries of a name without an id, and the connectors of that name. */
interface Namesakes {
  readonly entries: Entry[];
  readonly connectors: Member[];
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
  const {entries: all, byId, byName: namesakes} = indexed(inventory);
  const others: Member[] = [];
  for (const connector of members) {
    const entry = byId.get(connector.id);
    if (entry === undefined) {
      (namesakes.get(keyOf(connector.name ?? ''))?.connectors ?? others).push(connector);
    } else entry.found = connector;
  }
  const namesakesLeft = [...namesakes.values()].flatMap((one) =>
    matchByName(one, allowUnexpected, source),
  );
  // A connector's own name decides whether its entry is checked; the entry's name does only if no connector has its id.
  const entries = all.filter(({expected: {id = '', name}, found}) => {
    if (found !== undefined || revoked.has(id)) return true;
    return !leftOut.has(id) && (name === undefined || isWanted(name));
  });
  const expected = entries.filter((entry) => entry.expected.state !== 'absent');
  const named = indexNames(entries.map((entry) => entry.expected));
  const unmatched = (allowUnexpected ? [] : others).map((other) => {
    const {same, similar} = named(other.name);
    if (same === undefined)
      return surplus('unexpected', other, `not in ${source}${caseOnly(similar, other.name)}`);
    return surplus('duplicate', other, `${source} has another id for this name: ${same.id}`);
  });
  const unmatchedBy = indexNames(others);
  const verdicts = entries.flatMap((entry) => {
    const isRevoked = revoked.has(entry.expected.id ?? '');
    return verdictOn(entry, isRevoked, source, unmatchedBy(entry.expected.name).similar);
  });
  const ids = entries.flatMap(({expected: {id}, found}) => (id === undefined ? [] : {id, found}));
  return {
    isEmpty: entries.length === 0,
    isForeign: ids.length > 0 && ids.every(({id, found}) => !found && !revoked.has(id)),
    size: expected.length,
    members: expected.flatMap(({found}) => found ?? []),
    findings: [...verdicts, ...namesakesLeft, ...unmatched],
  };
}

/** Indexes the entries by id, or by name. Entries with the same id become one. */
function indexed(inventory: Iterable<Expected>) {
  const entries: Entry[] = [];
  const byId = new Map<string, Entry>();
  const byName = new Map<string, Namesakes>();
  for (const expected of inventory) {
    const {id, name} = expected;
    const known = id === undefined ? undefined : byId.get(id);
    if (known !== undefined) {
      known.repeats += 1;
      continue;
    }
    const entry = {expected, repeats: 0};
    entries.push(entry);
    if (id !== undefined) byId.set(id, entry);
    else if (name !== undefined) {
      const namesakes = byName.get(keyOf(name)) ?? {entries: [], connectors: []};
      namesakes.entries.push(entry);
      byName.set(keyOf(name), namesakes);
    }
  }
  return {entries, byId, byName};
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
  source: string,
): readonly Finding[] {
  connectors.sort(byLiveliness);
  entries.sort(byState);
  for (const [index, entry] of entries.entries()) {
    const found = connectors[index];
    if (found !== undefined) entry.found = found;
  }
  const left = connectors.slice(entries.length);
  if (entries.at(-1)?.expected.state === 'absent')
    return left.map((one) => surplus('present', one, `expected absent by ${source}`));
  const wanted = `another connector has the name in ${source}`;
  return allowUnexpected ? [] : left.map((one) => surplus('duplicate', one, wanted));
}

/** Finds one of some items by its name, and one whose name differs at most in upper and lower case. */
function indexNames<T extends {readonly name: string | undefined}>(items: readonly T[]) {
  const index = (key: (name: string) => string) =>
    new Map(items.flatMap((item) => (item.name ? [[key(item.name), item] as const] : [])));
  const folded = (name: string) => keyOf(name).toLowerCase();
  const [same, similar] = [index(keyOf), index(folded)];
  return (name = '') => ({same: same.get(keyOf(name)), similar: similar.get(folded(name))});
}

const caseOnly = (similar: Pick<Member, 'name'> | undefined, name = ''): string =>
  similar?.name === undefined || keyOf(similar.name) === keyOf(name)
    ? ''
    : `, where ${similar.name} differs in case alone`;

const rule = 'expected';

const surplus = (check: string, {id, name}: Member, wanted: string): Finding =>
  connectorFinding(check, {rule, id, name, status: 'fail', wanted});

/** The finding for an entry, and one more when the inventory repeats it. @param similar an unmatched connector */
function verdictOn(
  {expected, repeats, found}: Entry,
  isRevoked: boolean,
  source: string,
  similar: Member | undefined,
): readonly Finding[] {
  const {state, name} = expected;
  const check = checkOf(state, found, isRevoked);
  const isPass = check === 'expected' || (state === 'absent' && check !== 'present');
  const verdict = connectorFinding(check, {
    ...{rule, name, id: expected.id ?? found?.id, status: isPass ? 'pass' : 'fail'},
    found: check === 'missing' ? `not at the service${caseOnly(similar, name)}` : '',
    wanted: isPass ? '' : `expected${state === 'present' ? '' : ` ${state}`} by ${source}`,
  });
  if (repeats === 0) return [verdict];
  const twice = `more than once in ${source}`;
  const {id} = expected;
  return [verdict, connectorFinding('duplicate', {rule, name, id, status: 'fail', wanted: twice})];
}

/** What became of an entry. */
function checkOf(state: ExpectedState, found: Member | undefined, isRevoked: boolean): string {
  if (isRevoked) return 'revoked';
  if (found === undefined) return state === 'absent' ? 'absent' : 'missing';
  if (state === 'absent') return 'present';
  return state === 'present' || found.status === 'online'
    ? 'expected'
    : (found.status ?? 'unknown');
}
