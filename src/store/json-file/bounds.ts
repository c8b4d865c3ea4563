import {type Bounds, StoreError} from '../store.js';
import {costOf, type UsageTable} from './state/usage.js';

/** Refuses new records before one organization takes the place of the others, or all together that of the service. */
export class RecordBounds {
  /** Lowered so that records of the usual size take at most half of the heap for records. */
  readonly perOrganization: Bounds;
  readonly #usage: UsageTable;
  readonly #recordBytes: number;

  /** @param recordBytes of the heap, for the records of all organizations */
  constructor(usage: UsageTable, {tokens, connectors}: Bounds, recordBytes: number) {
    const bytes = tokens * costOf('tokens', null) + connectors * costOf('connectors', null);
    const factor = Math.min(1, recordBytes / 2 / bytes);
    this.perOrganization = {
      tokens: Math.max(1, Math.floor(tokens * factor)),
      connectors: Math.max(1, Math.floor(connectors * factor)),
    };
    this.#usage = usage;
    this.#recordBytes = recordBytes;
  }

  /**
   * Reserves room for a record until the returned function is called; by then the record counts itself.
   *
   * @param text of variable length in the record
   * @returns undefined when the organization has reached its bound
   * @throws StoreError of kind `too-large` when the records of all organizations have
   */
  reserve(organization: string, kind: keyof Bounds, text: string | null): (() => void) | undefined {
    const cost = costOf(kind, text);
    const usage = this.#usage.of(organization);
    if (usage[kind] >= this.perOrganization[kind]) return undefined;
    if (usage.bytes + cost > this.#recordBytes / 2) return undefined;
    if (this.#usage.bytes + cost > this.#recordBytes) {
      throw new StoreError('too-large', 'The heap has no room for more records.', {
        publicDetail: 'The service has no memory left for more records.',
      });
    }
    this.#usage.change(organization, {[kind]: 1, bytes: cost});
    return () => this.#usage.change(organization, {[kind]: -1, bytes: -cost});
  }
}
