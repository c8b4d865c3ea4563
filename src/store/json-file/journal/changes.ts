import type {ConnectorRecord} from '../../../domain/records.js';
import {removeConnectors} from '../../../domain/removal.js';
import type {StoreRecord} from '../format/records.js';
import {type ConnectorEntry, recordHeartbeat} from '../state/connectors.js';
import type {State} from '../state/contents.js';

/** A change to the store: the records that a commit writes, and their effect in memory. */
export interface Change {
  /** The records to write. Called once, just before the write; records may be added to the change until then. */
  records(): readonly StoreRecord[];
  /** Called only after they are on disk, in the order of the journal. */
  apply(): void;
}

/** A change that writes all of these records or none. */
export function changeOf(state: State, ...records: readonly StoreRecord[]): Change {
  return {
    records: () => records,
    apply() {
      for (const record of records) state.apply(record);
    },
  };
}

/**
 * The heartbeats of one millisecond. Most writes are heartbeats, so those that wait for the same sync
 * share one record and one commit, and keep their connectors, which saves a second lookup.
 */
export class Heartbeats implements Change {
  readonly #at: number;
  readonly #connectors: ConnectorEntry[] = [];
  #isWritten = false;

  /** @param at milliseconds since the Unix epoch */
  constructor(at: number) {
    this.#at = at;
  }

  /** Whether a heartbeat at this time can still be added. */
  accepts(at: number): boolean {
    return at === this.#at && !this.#isWritten;
  }

  add(connector: ConnectorEntry): void {
    this.#connectors.push(connector);
  }

  records(): readonly StoreRecord[] {
    this.#isWritten = true;
    return [{type: 'heartbeats', at: this.#at, ids: this.#connectors.map(({id}) => id)}];
  }

  apply(): void {
    for (const connector of this.#connectors) recordHeartbeat(connector, this.#at);
  }
}

/** The removal of connectors. It is decided just before its write. */
export class Removal implements Change {
  readonly #state: State;
  readonly #ids: ReadonlySet<string>;
  readonly #lastHeartbeatBefore: number | null;
  #removed: readonly ConnectorRecord[] = [];
  #records: readonly StoreRecord[] = [];

  /** See `Store.removeConnectors`. */
  constructor(state: State, ids: readonly string[], lastHeartbeatBefore: number | null) {
    this.#state = state;
    this.#ids = new Set(ids);
    this.#lastHeartbeatBefore = lastHeartbeatBefore;
  }

  /** The connectors that are removed, from its write on. */
  get removed(): readonly ConnectorRecord[] {
    return this.#removed;
  }

  records(): readonly StoreRecord[] {
    const found = [...this.#ids].flatMap((id) => this.#state.connectors.get(id) ?? []);
    this.#removed = removeConnectors(found, this.#lastHeartbeatBefore).answer;
    if (this.#removed.length === 0) return [];
    this.#records = [{type: 'removal', ids: this.#removed.map(({id}) => id)}];
    return this.#records;
  }

  apply(): void {
    for (const record of this.#records) this.#state.apply(record);
  }
}
