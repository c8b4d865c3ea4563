import {setImmediate} from 'node:timers/promises';
import type {ConnectorStatus} from '../../../contract/index.js';
import {judgeKey, type KeyJudgment} from '../../../domain/connector-keys.js';
import type {StatusBounds} from '../../../domain/liveness.js';
import type {ConnectorRecord, NewConnector} from '../../../domain/records.js';
import {hashesEqual} from '../../../domain/secret.js';
import type {ListRange} from '../../store.js';
import type {RecordOf} from '../format/records.js';
import {indexAfter} from './sorted.js';
import {costOf, type UsageTable} from './usage.js';

/** Connectors per batch of a list: a fraction of a millisecond's work. */
const batchSize = 50;

/** When and why a connector's key was revoked. */
interface Revocation {
  readonly at: number;
  readonly reason: string | null;
}

/** What connectors have that had more than one key, or may get one; see `ConnectorRecord`. */
type EarlierKeys = Pick<ConnectorRecord, 'endedKeyHash' | 'reissueHash'>;

/**
 * A connector in memory. It is mutable and its last heartbeat is always a number (NaN before the
 * first), so a heartbeat overwrites one number and allocates nothing. Only `toEntry` creates
 * entries. They are not instances of a class, because V8 would box a declared number field at each
 * write.
 */
interface Entry {
  readonly id: string;
  readonly organization: string;
  name: string;
  keyHash: string;
  readonly activatedAt: number;
  lastHeartbeatAt: number;
  revocation: Revocation | null;
  /** Null while it has its first key, as nearly all have. */
  earlierKeys: EarlierKeys | null;
}

/** @param organization the name that all its connectors share */
function toEntry(record: NewConnector, organization: string): Entry {
  return {
    id: record.id,
    organization,
    name: record.name,
    keyHash: record.keyHash,
    activatedAt: record.activatedAt,
    lastHeartbeatAt: record.lastHeartbeatAt ?? Number.NaN,
    revocation: null,
    earlierKeys: null,
  };
}

/** Without spreading another record: a list of 100,000 would take 90 MiB more. */
export function toRecord(entry: ConnectorEntry): ConnectorRecord {
  return {
    id: entry.id,
    organization: entry.organization,
    name: entry.name,
    keyHash: entry.keyHash,
    activatedAt: entry.activatedAt,
    lastHeartbeatAt: lastHeartbeat(entry),
    revokedAt: entry.revocation?.at ?? null,
    revocationReason: entry.revocation?.reason ?? null,
    endedKeyHash: entry.earlierKeys?.endedKeyHash ?? null,
    reissueHash: entry.earlierKeys?.reissueHash ?? null,
  };
}

/** A connector in the form of the journal, where a revocation and earlier keys are separate records. */
function toNewConnector(entry: ConnectorEntry): NewConnector {
  return {
    id: entry.id,
    organization: entry.organization,
    name: entry.name,
    keyHash: entry.keyHash,
    activatedAt: entry.activatedAt,
    lastHeartbeatAt: lastHeartbeat(entry),
  };
}

/** See `judgeKey`; without a copy of the connector, because every heartbeat calls it. */
export function judgeEntry(entry: ConnectorEntry, keyHash: string): KeyJudgment {
  if (entry.earlierKeys !== null) return judgeKey(toRecord(entry), keyHash);
  if (!hashesEqual(entry.keyHash, keyHash)) return 'unknown';
  return entry.revocation === null ? 'valid' : 'revoked';
}

const lastHeartbeat = ({lastHeartbeatAt: at}: ConnectorEntry): number | null =>
  Number.isNaN(at) ? null : at;

/** A live view of a connector: it shows later heartbeats too. */
export type ConnectorEntry = Readonly<Entry>;

/** Moves a connector's last heartbeat forward to a time; never back. */
export function recordHeartbeat(connector: ConnectorEntry, at: number): void {
  const entry: Entry = connector;
  if (!(entry.lastHeartbeatAt >= at)) entry.lastHeartbeatAt = at;
}

/** Connectors counted per turn of the event loop: a fraction of a millisecond's work. */
const countedPerTurn = 10_000;

/** All connectors, by id and, for each organization, in the order of ids. */
export class ConnectorTable {
  readonly #byId = new Map<string, Entry>();
  /** `name` is the one copy of an organization's name that all its connectors share. */
  readonly #organizations = new Map<string, {readonly name: string; readonly entries: Entry[]}>();

  /** Connectors with a revoked key. */
  readonly #revoked = new Set<Entry>();
  readonly #usage: UsageTable;
  #removed = 0;

  constructor(usage: UsageTable) {
    this.#usage = usage;
  }

  /** Connectors that were removed, of which the files may still hold something. Never shrinks. */
  get removed(): number {
    return this.#removed;
  }

  /** Adds a connector; an existing one stays as it is. */
  add(record: NewConnector): void {
    if (this.#byId.has(record.id)) return;
    let organization = this.#organizations.get(record.organization);
    if (organization === undefined) {
      organization = {name: record.organization, entries: []};
      this.#organizations.set(record.organization, organization);
    }
    const entry = toEntry(record, organization.name);
    this.#byId.set(entry.id, entry);
    const bytes = costOf('connectors', entry.name);
    this.#usage.change(organization.name, {connectors: 1, bytes});
    const {entries} = organization;
    // New ids are greater than older ones unless the clock is set back, so this is mostly an append.
    const last = entries.at(-1);
    if (last === undefined || last.id < entry.id) entries.push(entry);
    else entries.splice(indexAfter(entries, entry.id), 0, entry);
  }

  /** Revokes a connector's key; a revoked one stays as it is. */
  revoke(id: string, {at, reason}: Revocation): void {
    const entry = this.#byId.get(id);
    if (entry === undefined || entry.revocation !== null) return;
    entry.revocation = {at, reason};
    this.#revoked.add(entry);
  }

  /** Sets the ended key of a connector, and the token for its next one. */
  setKeys({id, keyHash, endedKeyHash, reissueHash}: Omit<RecordOf<'connectorKeys'>, 'type'>): void {
    const entry = this.#byId.get(id);
    if (entry?.keyHash === keyHash) entry.earlierKeys = {endedKeyHash, reissueHash};
  }

  /** Gives a connector a new name and key, which is not revoked. */
  reissue({id, name, keyHash, endedKeyHash, reissueHash}: RecordOf<'reissue'>): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    const bytes = costOf('connectors', name) - costOf('connectors', entry.name);
    this.#usage.change(entry.organization, {bytes});
    entry.name = name;
    entry.keyHash = keyHash;
    entry.earlierKeys = {endedKeyHash, reissueHash};
    entry.revocation = null;
    this.#revoked.delete(entry);
  }

  /** Removes connectors. O(n), so that many are removed together. */
  remove(ids: readonly string[]): void {
    const removed = new Set<Entry>();
    for (const id of ids) {
      const entry = this.#byId.get(id);
      if (entry === undefined) continue;
      removed.add(entry);
      this.#byId.delete(id);
      this.#revoked.delete(entry);
      const bytes = -costOf('connectors', entry.name);
      this.#usage.change(entry.organization, {connectors: -1, bytes});
    }
    this.#removed += removed.size;
    for (const name of new Set([...removed].map(({organization}) => organization))) {
      const organization = this.#organizations.get(name);
      if (organization === undefined) continue;
      const entries = organization.entries.filter((entry) => !removed.has(entry));
      this.#organizations.set(name, {...organization, entries});
    }
  }

  /** All connectors with a revoked key, in the order of their ids. */
  revoked(): ConnectorRecord[] {
    return [...this.#revoked].sort((a, b) => (a.id < b.id ? -1 : 1)).map(toRecord);
  }

  /** The arguments of all effective calls of `revoke`. */
  *revocations(): Generator<Revocation & {readonly id: string}> {
    for (const {id, revocation} of this.#revoked)
      if (revocation !== null) yield {id, ...revocation};
  }

  /** The keys of all connectors that had more than one. */
  *earlierKeys(): Generator<RecordOf<'connectorKeys'>> {
    for (const {id, keyHash, earlierKeys} of this.#byId.values()) {
      if (earlierKeys !== null) yield {type: 'connectorKeys', id, keyHash, ...earlierKeys};
    }
  }

  get(id: string): ConnectorRecord | undefined {
    const entry = this.#byId.get(id);
    return entry && toRecord(entry);
  }

  entry(id: string): ConnectorEntry | undefined {
    return this.#byId.get(id);
  }

  /** The latest of all heartbeats, -Infinity before the first. O(n). */
  latestHeartbeat(): number {
    let latest = Number.NEGATIVE_INFINITY;
    for (const {lastHeartbeatAt: at} of this.#byId.values()) if (at > latest) latest = at;
    return latest;
  }

  /**
   * An organization's connectors in the order of ids, in batches. It includes connectors added
   * meanwhile behind the current place. O(log n) to find the start of each batch.
   */
  *batches(
    organization: string,
    {after, limit = Number.POSITIVE_INFINITY}: ListRange,
  ): Generator<readonly ConnectorRecord[]> {
    let left = limit;
    let last = after;
    while (left > 0) {
      const wanted = Math.min(batchSize, left);
      const entries = this.#organizations.get(organization)?.entries ?? [];
      const start = last === undefined ? 0 : indexAfter(entries, last);
      const batch = entries.slice(start, start + wanted).map(toRecord);
      if (batch.length > 0) yield batch;
      if (batch.length < wanted) return;
      left -= batch.length;
      last = batch.at(-1)?.id;
    }
  }

  /** The number of connectors with each status. */
  async count({onlineSince, staleSince}: StatusBounds): Promise<Record<ConnectorStatus, number>> {
    const counts = {never: 0, online: 0, stale: 0, offline: 0, revoked: 0};
    let counted = 0;
    for (const {lastHeartbeatAt: at, revocation} of this.#byId.values()) {
      if (revocation !== null) counts.revoked += 1;
      else if (at >= onlineSince) counts.online += 1;
      else if (at >= staleSince) counts.stale += 1;
      else if (Number.isNaN(at)) counts.never += 1;
      else counts.offline += 1;
      counted += 1;
      if (counted % countedPerTurn === 0) await setImmediate();
    }
    return counts;
  }

  /** All connectors, including those added meanwhile. */
  *records(): Generator<NewConnector> {
    for (const entry of this.#byId.values()) yield toNewConnector(entry);
  }
}
