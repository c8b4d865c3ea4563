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
