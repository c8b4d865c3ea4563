import {expect} from 'chai';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {StoreError} from '../../../src/store/store.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres/database.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';
import {patient} from './fixture.js';

describe('the tables of a PostgreSQL store', () => {
  let database: TestDatabase;
  let log: RecordedLog;

  beforeEach(async () => {
    database = await makeTestDatabase();
    log = new RecordedLog();
  });

  const open = () => openPostgresStore(database.url, {log, now: Date.now}, patient);

  /** Opens the store and closes it. */
  const visit = async () => (await open()).close();

  const countTables = async () => {
    const [row] = await database.query<{count: number}>(
      'SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = current_schema()',
    );
    return row?.count;
  };

  it('are created once by ten processes that start at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const stores = await Promise.all(Array.from({length: 10}, () => open()));
      const secrets = stores.map(({serverSecret}) => Buffer.from(serverSecret).toString('hex'));
      expect(new Set(secrets).size).to.equal(1);
      const [connector] = await Promise.all(stores.map((store) => activate(store)));
      expect(await listAll(stores[9]!, 'acme')).to.have.length(10);
      expect(await stores[9]!.findConnector(connector!.id, {organization: 'acme'})).to.not.equal(
        undefined,
      );
      await Promise.all(stores.map((store) => store.close()));
      await database.query('DROP TABLE store_info, api_keys, activation_tokens, connectors');
    }
    expect(log.messages).to.deep.equal([]);
  });

  it('are damaged without the row of their version', async () => {
    await visit();
    await database.query('DELETE FROM store_info');
    const error = expectKind(await rejection(visit()), 'damaged');
    expect(error.message).to.equal('The table store_info is empty.');
  });

  it('never replace the tables of another application', async () => {
    await database.query(
      "CREATE TABLE connectors (plug text); INSERT INTO connectors VALUES ('x')",
    );
    const error = await rejection(visit());
    expect(expectKind(error, 'format').message).to.include('relation "connectors" already exists');
    expect(await database.query('SELECT * FROM connectors')).to.deep.equal([{plug: 'x'}]);
    expect(await countTables()).to.equal(1);
  });

  it('can be used without the right to create tables once they exist', async () => {
    await visit();
    const [row] = await database.query<{schema: string}>('SELECT current_schema() AS schema');
    const role = `role_${row!.schema}`;
    await database.query(`CREATE ROLE ${role} LOGIN;
      GRANT USAGE ON SCHEMA ${row!.schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${row!.schema} TO ${role}`);
    try {
      const url = new URL(database.url);
      url.username = role;
      const store = await openPostgresStore(url.href, {log, now: Date.now});
      await activate(store);
      await store.check();
      await store.close();
      await database.query('DROP TABLE store_info, api_keys, activation_tokens, connectors');
      const error = await rejection(openPostgresStore(url.href, {log, now: Date.now}));
      expect(error).to.be.instanceOf(StoreError).with.property('kind', 'misconfigured');
      expect(error).to.have.property('message').that.includes('permission denied');
    } finally {
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });
});
