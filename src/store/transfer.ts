import type {Changes} from '../domain/records.js';
import type {StoreOptions} from './store.js';

/** A store that is read as a whole and not otherwise in use. Every method rejects with `StoreError`. */
export interface TransferSource {
  readonly serverSecret: Uint8Array;
  /** All records in batches, connectors before the tokens that created them. */
  records(): AsyncIterable<Changes> | Iterable<Changes>;
  close(): Promise<void>;
}

/** The interface of a kind of store for copies. */
export interface Transfer {
  /** @throws StoreError when there is no store, or another process uses it */
  openSource(location: string, options: StoreOptions): Promise<TransferSource>;

  /**
   * Creates a store and fills it. The store exists when this resolves, and does not if this rejects.
   *
   * @param fill may run again after an error of the database
   * @throws StoreError when there is a store already
   */
  createCopy<Result>(
    location: string,
    serverSecret: Uint8Array,
    options: StoreOptions,
    fill: (write: (changes: Changes) => Promise<void>) => Promise<Result>,
  ): Promise<Result>;
}
