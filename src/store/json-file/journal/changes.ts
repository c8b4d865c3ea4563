import type {StoreRecord} from '../format/records.js';
import {type ConnectorEntry, recordHeartbeat} from '../state/connectors.js';
import type {State} from '../state/contents.js';

/** What a commit writes, and what it then changes in memory. */
export interface Change {
  /** What is to be written. Asked when its turn has come, and only once: until then it may grow. */
  records(): readonly StoreRecord[];
  /** Called when that is on disk, and not otherwise, in the order of the journal. */
  apply(): void;
}

/** A change that is its records, written as one: all of them or none. */
export function changeOf(state: State, ...records: readonly StoreRecord[]): Change {
  return {
    records: () => records,
    apply() {
      for (const record of records) state.apply(record);
    },
  };
}

/**
 * The heartbeats of one millisecond. They are the most of all that is written, so those that wait for
 * the same sync share one record and one commit; and each moves the connector that it was found for,
 * which is not looked up again.
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
