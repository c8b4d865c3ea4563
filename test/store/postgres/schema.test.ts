import {expect} from 'chai';
import pg from 'pg';
import {openPostgresStore} from '../../../src/store/postgres/open.js';
import {type Migration, migrations} from '../../../src/store/postgres/schema.js';
import {type Store, StoreError} from '../../../src/store/store.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, listAll, rejection} from '../../support/store/samples.js';

/** A migration that a future version may add. */
const nextStep: Migration = [
  'ALTER TABLE connectors ADD COLUMN shade text',
  "UPDATE connectors SET shade = 'green'",
];

describe('the tables of a PostgreSQL store', () => {
  let database: TestDatabase;
  let log: RecordedLog;

  beforeEach(async () => {
    database = await makeTestDatabase();
    log = new RecordedLog();
  });

  afterEach(() => database.drop());

  const open = (steps?: readonly Migration[]): Promise<Store> =>
    openPostgresStore(
      database.url,
      {log, now: Date.now},
      steps === undefined ? {} : {migrations: steps},
    );

  /** Opens the store and closes it. */
  const visit = async (steps?: readonly Migration[]) => (await open(steps)).close();

  const version = async () =>
    (await database.query<{version: number}>('SELECT version FROM store_info'))[0]?.version;

  it('are created once, and their creation is logged', async () => {
    await visit();
    expect(await version()).to.equal(migrations.length);
    await visit();
    expect(log.entries).to.deep.equal([
      {level: 'info', details: {from: 0, to: migrations.length}, message: 'store migrated'},
    ]);
  });

  it('are not created with create: false', async () => {
    const options = {log, now: Date.now, create: false};
    const error = await rejection(openPostgresStore(database.url, options));
    expect(error).to.be.instanceOf(StoreError).with.property('kind', 'missing');
    expect(error).to.have.property('message').that.includes('There is no store in the database');
    const tables =
      'SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = current_schema()';
    expect(await database.query(tables)).to.deep.equal([{count: 0}]);
    await visit();
    await (await openPostgresStore(database.url, options)).close();
  });

  it('are created without a failed statement that has a name: PgBouncer would refuse the name from then on', async () => {
    const failed: unknown[] = [];
    const {query} = pg.Client.prototype;
    const send: (config: pg.QueryConfig) => Promise<unknown> = query;
    pg.Client.prototype.query = async function (this: pg.Client, config: pg.QueryConfig) {
      try {
        return await send.call(this, config);
      } catch (error) {
        failed.push(config.name);
        throw error;
      }
    } as typeof query;
    try {
      await visit();
    } finally {
      pg.Client.prototype.query = query;
    }
    expect(failed).to.deep.equal([undefined]);
  });

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
    expect(log.messages).to.deep.equal(['store migrated', 'store migrated', 'store migrated']);
  });

  it('are migrated from an older version by one of ten processes that start at once', async () => {
    const old = await open();
    await activate(old);
    await old.close();
    const steps = [...migrations, nextStep];
    await Promise.all(Array.from({length: 10}, () => visit(steps)));
    expect(await version()).to.equal(steps.length);
    expect(await database.query('SELECT shade FROM connectors')).to.deep.equal([{shade: 'green'}]);
    expect(log.messages).to.deep.equal(['store migrated', 'store migrated']);
  });

  it('stay unchanged when a migration fails', async () => {
    await visit();
    const broken: Migration = ['CREATE TABLE shades (id text)', 'SELECT 1/0'];
    expect(await rejection(visit([...migrations, broken]))).to.match(/division by zero/);
    expect(await version()).to.equal(migrations.length);
    expect(await database.query("SELECT to_regclass('shades') AS made")).to.deep.equal([
      {made: null},
    ]);
    await visit();
  });

  it('are rejected and stay unchanged when their version is newer', async () => {
    await visit([...migrations, nextStep]);
    const error = await rejection(visit());
    expect(error).to.be.instanceOf(StoreError).with.property('kind', 'format');
    expect(error)
      .to.have.property('message')
      .that.include(`version ${migrations.length + 1}; this build knows up to`);
    expect(await version()).to.equal(migrations.length + 1);
  });

  it('never replace the tables of another application', async () => {
    await database.query(
      "CREATE TABLE connectors (plug text); INSERT INTO connectors VALUES ('x')",
    );
    const error = await rejection(visit());
    expect(error).to.be.instanceOf(StoreError).with.property('kind', 'format');
    expect(await database.query('SELECT * FROM connectors')).to.deep.equal([{plug: 'x'}]);
    expect(await version()).to.equal(0);
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
