import type {Changes} from '../domain/records.js';
import type {StoreOptions} from './store.js';

/** A store to copy from, which no other process may use. Its methods fail with `StoreError`. */
export interface TransferSource {
  readonly serverSecret: Uint8Array;
  /** Passes all records to `write`, in batches. */
  read(write: (changes: Changes) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** The functions for copies that each kind of store implements. */
export interface Transfer {
  /** @throws StoreError when there is no store, or it is in use; PostgreSQL reports use only from `read` */
  openSource(location: string, options: StoreOptions): Promise<TransferSource>;

  /**
   * Creates a store and fills it. Once this resolves, the store exists; if it rejects, it created none, except perhaps
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
