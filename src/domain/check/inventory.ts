import type {Finding} from './findings.js';

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
}

/** The comparison of a fleet with an inventory. */
export interface Comparison {
  /** Whether no entry is left to check, so that nothing was measured. */
  readonly isEmpty: boolean;
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
  {allowUnexpected, isWanted}: InventoryOptions,
): Comparison {
  const {entries: all, byId, byName} = indexed(inventory);
  const others: Member[] = [];
  for (const connector of members) {
    const entry = byId.get(connector.id);
    if (entry === undefined) {
      (byName.get(keyOf(connector.name ?? ''))?.connectors ?? others).push(connector);
    } else entry.found = connector;
  }
  const surplus = [...byName.values()].flatMap((one) => matchByName(one, allowUnexpected));
  // A connector's own name decides whether its entry is checked; the entry's name does only if no connector has its id.
  const entries = all.filter(({expected: {id = '', name}, found}) => {
    if (found !== undefined || revoked.has(id)) return true;
    return !leftOut.has(id) && (name === undefined || isWanted(name));
  });
  const expected = entries.filter((entry) => entry.expected.state !== 'absent');
  const names = new Set(entries.map(({expected: {name}}) => name && keyOf(name)));
  const unmatched = (allowUnexpected ? [] : others).map((other) =>
    other.name && names.has(keyOf(other.name)) ? duplicate(other) : unexpected(other),
  );
  const verdicts = entries.flatMap((entry) =>
    verdictOn(entry, revoked.has(entry.expected.id ?? '')),
  );
  return {
    isEmpty: entries.length === 0,
    size: expected.length,
    members: expected.flatMap(({found}) => found ?? []),
    findings: [...verdicts, ...surplus, ...unmatched],
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

function verdictOn({expected, repeats, found}: Entry, isRevoked: boolean): readonly Finding[] {
  const subject = expected.name ?? expected.id ?? '';
  const verdict = isRevoked ? onRevoked(expected, subject) : onFound(expected, found, subject);
  if (repeats === 0) return [verdict];
  const message = `${subject} is in the inventory more than once`;
  return [verdict, {id: 'duplicate', rule, subject, status: 'fail', message}];
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

/** Creates findings about a connector that should not exist. */
const surplus =
  (check: string, what: string) =>
  ({id, name}: Member): Finding => {
    const message = (name === undefined ? id : `${name} (${id})`) + what;
    return {id: check, rule, subject: name ?? id, status: 'fail', message, details: {id}};
  };

const present = surplus('present', ' exists and should not');
const duplicate = surplus('duplicate', ' has the name of another connector');
const unexpected = surplus('unexpected', '');
