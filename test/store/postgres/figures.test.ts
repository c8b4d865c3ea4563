import {expect} from 'chai';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import type {Store} from '../../../src/store/store.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, minute, start} from '../../support/store/samples.js';

describe('the metrics of a PostgreSQL store', () => {
  let database: TestDatabase;
  let store: Store;
  let commits: number[];

  beforeEach(async () => {
    database = await makeTestDatabase();
    commits = [];
    const onWrite = (seconds: number) => void commits.push(seconds);
    const options = {log: new RecordedLog(), now: () => start, onWrite};
    store = await openPostgresStore(database.url, options);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  it('include the duration of changes but not of reads', async () => {
    const {id} = await activate(store);
    const scope = {organization: 'acme'};
    commits.length = 0;
    const startedAt = performance.now();
    await store.recordHeartbeat(id, start + minute, scope);
    await store.check();
    const elapsed = (performance.now() - startedAt) / 1000;
    expect(commits).to.have.length(2);
    for (const seconds of commits) expect(seconds).to.be.within(0, elapsed).and.not.equal(0);
    await store.findConnector(id, scope);
    await store.listApiKeys();
    expect(commits).to.have.length(2);
  });
});
