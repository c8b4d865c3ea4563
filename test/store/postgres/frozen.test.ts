import {readFileSync} from 'node:fs';
import {expect} from 'chai';
import {schemaVersion} from '../../../src/store/postgres/schema.js';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres/database.js';
import {answersOf, frozen, readAnswers} from '../../support/store/frozen.js';
import {RecordedLog} from '../../support/store/recorded-log.js';

describe('a PostgreSQL store of the kept version', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await makeTestDatabase();
    await database.query(readFileSync(frozen(`postgres-${schemaVersion}.sql`), 'utf8'));
  });

  const opening =
    ({url}: TestDatabase) =>
    (now: () => number) =>
      openPostgresStore(url, {log: new RecordedLog(), now});

  /** The columns, constraints and indexes of the tables. */
  const schemaOf = async ({query}: TestDatabase) => ({
    columns: await query(
      `SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name
       FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2`,
    ),
    constraints: await query(
      `SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
       WHERE connamespace = current_schema()::regnamespace AND contype <> 'n' ORDER BY 1, 2`,
    ),
    indexes: await query(
      `SELECT indexname, replace(indexdef, current_schema() || '.', '') AS definition
       FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1`,
    ),
    options: await query(
      `SELECT relname, reloptions FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1`,
    ),
  });

  it('answers as when it was made, over all routes', async () => {
    const {secrets, answers} = readAnswers();
    expect(await answersOf(opening(database), secrets)).to.deep.equal(answers);
  });

  it('has the tables of a new store', async () => {
    const fresh = await makeTestDatabase();
    await (await opening(fresh)(Date.now)).close();
    expect(await schemaOf(database)).to.deep.equal(await schemaOf(fresh));
  });
});
