import type {Changes} from '../domain/records.js';
import type {StoreOptions} from './store.js';

/** A store that is read as a whole and not otherwise in use. Its methods fail with `StoreError`. */
export interface TransferSource {
  readonly serverSecret: Uint8Array;
  /** Passes on all records in batches. */
  read(write: (changes: Changes) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** The interface of a kind of store for copies. */
export interface Transfer {
  /** @throws StoreError when there is no store, or another process uses it */
  openSource(location: string, options: StoreOptions): Promise<TransferSource>;

  /**
   * Creates a store and fills it. Once this resolves, the store exists; if it rejects, there is none, except perhaps
   * after a failed sync or commit.
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
