import {openPostgresStore, type PostgresInternals} from '../../../src/store/postgres/open.js';
import type {Store} from '../../../src/store/store.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {start} from '../../support/store/samples.js';

/** A database for a store that is not there yet, with a clock that the test sets. */
export class StoreDatabase {
  readonly log = new RecordedLog();
  readonly database: TestDatabase;
  /** Milliseconds since the Unix epoch. */
  now = start;

  private constructor(database: TestDatabase) {
    this.database = database;
  }

  /** @param settings of its sessions, such as `default_transaction_isolation` */
  static async make(settings?: Readonly<Record<string, string>>): Promise<StoreDatabase> {
    return new StoreDatabase(await makeTestDatabase(settings));
  }

  open(internals?: PostgresInternals): Promise<Store> {
    return openPostgresStore(this.database.url, {log: this.log, now: () => this.now}, internals);
  }

  cleanup(): Promise<void> {
    return this.database.drop();
  }
}
