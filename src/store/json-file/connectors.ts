import {setImmediate} from 'node:timers/promises';
import type {ConnectorStatus} from '../../contract/index.js';
import {type StatusBounds, statusOf} from '../../domain/liveness.js';
import type {ConnectorRecord, NewConnector} from '../../domain/records.js';
import {type Sender, sentBy} from '../../domain/senders.js';
import type {ListRange} from '../store.js';
import type {UsageTable} from './usage.js';

/** Connectors per batch of a list: few, because each unfinished list may hold a batch in memory. */
const batchSize = 50;

/** The fields that are null in a new connector. */
type Rare = Omit<ConnectorRecord, keyof NewConnector>;

/** A connector in the file: rare fields that are null may be absent. */
export type StoredConnector = NewConnector & {
  readonly [Field in keyof Rare]?: Rare[Field] | undefined;
};

/** A connector in memory; a rare field without a value is undefined. Heartbeats change `lastHeartbeatAt` and `senders`. */
type Entry = ReturnType<typeof toEntry>;

/** @param organization the name that all its connectors share */
function toEntry(stored: StoredConnector, organization: string) {
  const {revokedAt, revocationReason, endedKeyHash, reissueHash, senders} = stored;
  return {
    id: stored.id,
    organization,
    name: stored.name,
    keyHash: stored.keyHash,
    activatedAt: stored.activatedAt,
    lastHeartbeatAt: stored.lastHeartbeatAt,
    revokedAt: revokedAt ?? undefined,
    revocationReason: revocationReason ?? undefined,
    endedKeyHash: endedKeyHash ?? undefined,
    reissueHash: reissueHash ?? undefined,
    senders: senders ?? undefined,
  };
}

/**
 * Names each field, as `toEntry` does, because spreading takes more memory. With one object literal for both, V8 would
 * allocate the records of lists in the old generation, like the entries, which live as long as the process.
 */
export function toRecord(stored: StoredConnector): ConnectorRecord {
  const {revokedAt, revocationReason, endedKeyHash, reissueHash, senders} = stored;
  return {
    id: stored.id,
    organization: stored.organization,
    name: stored.name,
    keyHash: stored.keyHash,
    activatedAt: stored.activatedAt,
    lastHeartbeatAt: stored.lastHeartbeatAt,
    revokedAt: revokedAt ?? null,
    revocationReason: revocationReason ?? null,
    endedKeyHash: endedKeyHash ?? null,
    reissueHash: reissueHash ?? null,
    senders: senders ?? null,
  };
}

/** Connectors counted per turn of the event loop: about a millisecond's work. */
const countedPerTurn = 10_000;

/** All connectors, by id and, for each organization, in the order of ids. */
export class ConnectorTable {
  readonly #byId = new Map<string, Entry>();
  /** `name` is the one copy of an organization's name that all its connectors share. */
  readonly #organizations = new Map<string, {readonly name: string; entries: Entry[]}>();
  readonly #usage: UsageTable;

  constructor(usage: UsageTable) {
    this.#usage = usage;
  }

  /** Adds a connector, or overwrites an existing one. Its last heartbeat only moves forward. */
  put(record: StoredConnector): void {
    const entry = this.#byId.get(record.id);
    this.#usage.replace(entry, record);
    if (entry === undefined) {
      this.#add(record);
      return;
    }
    const {lastHeartbeatAt} = entry;
    Object.assign(entry, toEntry(record, entry.organization), {lastHeartbeatAt});
    if (record.lastHeartbeatAt !== null) this.recordHeartbeat(entry.id, record.lastHeartbeatAt);
  }

  #add(record: StoredConnector): void {
    let organization = this.#organizations.get(record.organization);
    if (organization === undefined) {
      organization = {name: record.organization, entries: []};
      this.#organizations.set(record.organization, organization);
    }
    const entry = toEntry(record, organization.name);
    this.#byId.set(entry.id, entry);
    const {entries} = organization;
    // New ids are greater than older ones unless the clock is set back, so this is mostly an append.
    const last = entries.at(-1);
    if (last === undefined || last.id < entry.id) entries.push(entry);
    else entries.splice(indexAfter(entries, entry.id), 0, entry);
  }

  /** Moves a connector's last heartbeat forward to a time; never back. */
  recordHeartbeat(id: string, at: number): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined && (entry.lastHeartbeatAt ?? at) <= at) entry.lastHeartbeatAt = at;
  }

  /** Records the sender of a heartbeat, before `recordHeartbeat`. Another change or a compaction writes it to disk. */
  recordSender(id: string, at: number, sender: Sender): void {
    const entry = this.#byId.get(id);
    if (entry === undefined || entry.senders?.last === sender.id) return;
    entry.senders = sentBy(entry.senders ?? null, sender, at, entry.lastHeartbeatAt);
  }

  /** Removes connectors in O(n), so callers should remove many together. */
  remove(ids: readonly string[]): void {
    const removed = new Set<Entry>();
    for (const id of ids) {
      const entry = this.#byId.get(id);
      if (entry === undefined) continue;
      removed.add(entry);
      this.#byId.delete(id);
      this.#usage.replace(entry, undefined);
    }
    for (const name of new Set([...removed].map(({organization}) => organization))) {
      const organization = this.#organizations.get(name);
      if (organization === undefined) continue;
      organization.entries = organization.entries.filter((entry) => !removed.has(entry));
    }
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  get(id: string): ConnectorRecord | undefined {
    const entry = this.#byId.get(id);
    return entry && toRecord(entry);
  }

  /** All connectors with a revoked key, in the order of their ids. Visits every connector. */
  revoked(): ConnectorRecord[] {
    const revoked = [...this.#byId.values()].filter(({revokedAt}) => revokedAt !== undefined);
    return revoked.map(toRecord).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** All connectors, including those added during the iteration. */
  values(): IterableIterator<Entry> {
    return this.#byId.values();
  }

  /**
   * An organization's connectors in the order of ids, in batches. Connectors that are added during the
   * iteration may be missing. The start of each batch is found in O(log n).
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
  async count(bounds: StatusBounds): Promise<Record<ConnectorStatus, number>> {
    const counts = {never: 0, online: 0, stale: 0, offline: 0, revoked: 0};
    let counted = 0;
    for (const {revokedAt = null, lastHeartbeatAt} of this.#byId.values()) {
      counts[statusOf({revokedAt, lastHeartbeatAt}, bounds)] += 1;
      counted += 1;
      if (counted % countedPerTurn === 0) await setImmediate();
    }
    return counts;
  }
}

/** The index of the first entry of a list sorted by id that comes after `id`. O(log n). */
function indexAfter(entries: readonly {readonly id: string}[], id: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && entry.id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
