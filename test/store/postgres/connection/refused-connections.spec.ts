import {expect} from 'chai';
import {openPostgresStore} from '../../../../src/store/postgres/open.js';
import type {Store} from '../../../../src/store/store.js';
import {PostgresCluster} from '../../../support/postgres-cluster.js';
import {RecordedLog} from '../../../support/store/recorded-log.js';
import {expectKind, rejection, sampleToken} from '../../../support/store/samples.js';
import {patient} from '../fixture.js';

describe('PostgreSQL stores on a server that refuses connections', function () {
  this.timeout(120_000);
  let server: PostgresCluster;
  let log: RecordedLog;
  let stores: Store[];

  before(async () => {
    server = await PostgresCluster.make({max_connections: '20'});
    await server.start();
    await server.query('CREATE ROLE service LOGIN');
  });
  after(() => server?.remove());

  const open = async (database: string, count: number) => {
    await server.query(`CREATE DATABASE ${database} OWNER service`);
    const url = server.url(database).replace('postgres@', 'service@');
    log = new RecordedLog();
    stores = [];
    while (stores.length < count) {
      stores.push(await openPostgresStore(url, {log, now: Date.now}, patient));
    }
  };
  afterEach(() => Promise.all(stores.map((store) => store.close())));

  it('share fewer connections than they may open, and keep those they have', async () => {
    await open('few', 4);
    const tokens = Array.from({length: 2000}, () => sampleToken());
    await Promise.all(tokens.map((token, index) => stores[index % 4]!.createToken(token)));
    const [row] = await server.query('SELECT count(*)::int FROM activation_tokens', 'few');
    expect(row).to.deep.equal({count: tokens.length});
    expect(log.messages).to.deep.equal(['store migrated']);
  });

  it('are unavailable while their database allows no connections', async () => {
    await open('shut', 1);
    const [store] = stores;
    await server.query('ALTER DATABASE shut ALLOW_CONNECTIONS false');
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'shut'",
    );
    const error = rejection(
      openPostgresStore(server.url('shut'), {log, now: Date.now}, {timeLimits: {patience: 100}}),
    );
    expect(expectKind(await error, 'unavailable').message).to.include('SQLSTATE 55000');
    const created = store!.createToken(sampleToken());
    await log.has('lost the connection to the database');
    await server.query('ALTER DATABASE shut ALLOW_CONNECTIONS true');
    await created;
  });
});
