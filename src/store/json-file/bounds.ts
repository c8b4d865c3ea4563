import {type Bounds, StoreError} from '../store.js';
import {costOf, type Usage} from './state/usage.js';

/** Refuses new records before one organization takes the place of the others, or all together that of the service. */
export class RecordBounds {
  /** Lowered so that records of the usual size take at most half of the heap for records. */
  readonly perOrganization: Bounds;
  readonly #recordBytes: number;

  /** @param recordBytes of the heap, for the records of all organizations */
  constructor({tokens, connectors}: Bounds, recordBytes: number) {
    const bytes = tokens * costOf('tokens', null) + connectors * costOf('connectors', null);
    const factor = Math.min(1, recordBytes / 2 / bytes);
    this.perOrganization = {
      tokens: Math.max(1, Math.floor(tokens * factor)),
      connectors: Math.max(1, Math.floor(connectors * factor)),
    };
    this.#recordBytes = recordBytes;
  }

  /**
   * Whether an organization may have one more record.
   *
   * @param allBytes of all organizations
   * @param text of variable length in the record
   * @throws StoreError of kind `too-large` when the records of all organizations leave no room
   */
  hasRoom(usage: Usage, allBytes: number, kind: keyof Bounds, text: string | null): boolean {
    const cost = costOf(kind, text);
    if (usage[kind] >= this.perOrganization[kind]) return false;
    if (usage.bytes + cost > this.#recordBytes / 2) return false;
    if (allBytes + cost <= this.#recordBytes) return true;
    throw new StoreError('too-large', 'The heap has no room for more records.', {
      publicDetail: 'The service has no memory left for more records.',
    });
  }
}
