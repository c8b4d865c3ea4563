import {setTimeout as delay} from 'node:timers/promises';
import {serviceRoutes} from '../../../src/contract/index.js';
import type {TimeLimits} from '../../../src/store/postgres/database.js';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import type {Bounds, Store} from '../../../src/store/store.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres/database.js';
import {atEndOfTest} from '../../support/process/at-end-of-test.js';
import {runChild, type Service} from '../../support/process/child.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {expectKind, start} from '../../support/store/samples.js';

/** Many simultaneous operations wait longer on a busy machine than the two seconds that a service grants. */
export const patient: Partial<TimeLimits> = {retryPeriod: 60_000};

/** Opens a store, which is closed at the end of the test if the test has not closed it. */
export async function openForTest(
  ...options: Parameters<typeof openPostgresStore>
): Promise<Store> {
  const store = await openPostgresStore(...options);
  atEndOfTest(() => store.close().catch((error: unknown) => expectKind(error, 'closed')));
  return store;
}

/** An empty database for a store, with a clock that the test controls. */
export class StoreDatabase {
  readonly log = new RecordedLog();
  readonly database: TestDatabase;
  /** Milliseconds since the Unix epoch. */
  now = start;
  bounds: Bounds | undefined;

  private constructor(database: TestDatabase) {
    this.database = database;
  }

  /**
   * @param settings session settings, such as `default_transaction_isolation`
   * @param url database server to use instead of the one of the test run
   */
  static async make(
    settings?: Readonly<Record<string, string>>,
    url?: string,
  ): Promise<StoreDatabase> {
    return new StoreDatabase(await makeTestDatabase(settings, url));
  }

  open(timeLimits: Partial<TimeLimits> = patient): Promise<Store> {
    const options = {log: this.log, now: () => this.now, bounds: this.bounds};
    return openForTest(this.database.url, options, timeLimits);
  }

  /** Makes the server reject a number of inserts into a table with an error of severity ERROR. */
  async refuse(table: string, sqlState: string, times: number): Promise<void> {
    // A sequence also counts inserts that are rolled back.
    await this.database.query(`
      CREATE SEQUENCE refusals;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS '
        BEGIN
          IF nextval(''refusals'') <= ${times} THEN
            RAISE EXCEPTION ''not now'' USING ERRCODE = ''${sqlState}'';
          END IF;
          RETURN NEW;
        END';
      CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
  }

  /** Number of attempted inserts into the table given to `refuse`. */
  async countTries(): Promise<number> {
    const [row] = await this.database.query<{tries: string}>(
      'SELECT last_value AS tries FROM refusals',
    );
    return Number(row?.tries);
  }
}

/** The status of `/readyz`. */
export const readiness = async ({url}: Service): Promise<number> =>
  (await fetch(url + serviceRoutes.ready.path)).status;

/** Waits until `/readyz` responds with a status. */
export async function untilReadinessIs(status: number, service: Service): Promise<void> {
  while ((await readiness(service)) !== status) await delay(50);
}

/** Makes an API key directly in a database. */
export async function createKey(database: string, organization = 'default'): Promise<string> {
  const words = ['key', 'create', '--organization', organization, '--store', database, '--json'];
  return JSON.parse((await runChild(words)).stdout).api_key;
}
