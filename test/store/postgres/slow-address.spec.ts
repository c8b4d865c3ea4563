import {expect} from 'chai';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {
  hasSlowAddresses,
  resolveSlowHost,
  slowAddress,
  slowHost,
} from '../../support/network/slow-address.js';
import {makeTestDatabase} from '../../support/postgres/database.js';
import {RecordedLog} from '../../support/store/recorded-log.js';

describe('a PostgreSQL store whose host has a slow address', () => {
  before(function () {
    if (!hasSlowAddresses()) this.skip();
  });

  it('is opened in a later round, with more time for that address', async () => {
    const database = await makeTestDatabase();
    const url = new URL(database.url);
    const slow = await slowAddress(Number(url.port));
    let rounds = 0;
    resolveSlowHost(['127.0.0.2', '127.0.0.3'], (count) => {
      rounds = count;
      if (count === 3) void slow.accept();
    });
    url.hostname = slowHost;
    url.searchParams.set('sslmode', 'disable');
    const store = await openPostgresStore(url.href, {log: new RecordedLog(), now: Date.now});
    await store.close();
    expect(rounds).to.be.at.least(3);
  });
});
