import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {copyStore} from '../../../src/store/copy.js';
import {openStore} from '../../../src/store/open.js';
import {notice} from '../../support/notice.js';
import {CitusServers, distribute, findCitus} from '../../support/postgres/citus.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres/database.js';
import {startService} from '../../support/process/child.js';
import {describeStore} from '../../support/store/conformance.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, listAll, sampleApiKey, sampleToken} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {RetryingClients} from './clients.js';
import {createKey, readiness, StoreDatabase} from './fixture.js';
import {describeProcesses} from './processes.js';

const source = findCitus();
let servers: CitusServers | undefined;
let url = '';

if ('missing' in source) {
  notice(`Citus is not tested: ${source.missing}.`);
} else {
  describe('Citus', function () {
    this.timeout(360_000);

    before(async () => {
      if ('archive' in source) servers = await CitusServers.start(source.archive);
      url = servers?.url ?? ('url' in source ? source.url : '');
    });

    after(() => servers?.remove());

    describeStore('PostgreSQL store on Citus', async () => {
      const fixture = await StoreDatabase.make({'citus.shard_count': '8'}, url);
      await (await fixture.open()).close();
      await fixture.database.query(distribute);
      return fixture;
    });
    describeProcesses('one Citus cluster', makeDistributed);
    describeCopies();
    if ('archive' in source) describeDeadWorker();
  });
}

/** A database with an empty store whose tables are distributed. */
async function makeDistributed(): Promise<TestDatabase> {
  const database = await makeTestDatabase({}, url);
  await (await openStore(database.url, {log: new RecordedLog(), now: Date.now})).close();
  await database.query(distribute);
  return database;
}

function describeCopies(): void {
  describe('a copy to Citus whose tables are distributed then', () => {
    const at = temporaryDirectory();

    it('equals its source, and a copy back to files equals both', async () => {
      const database = await makeTestDatabase({}, url);
      const options = {log: new RecordedLog(), now: Date.now};
      const first = at('first');
      const store = await openStore(first, options);
      await store.createApiKey(sampleApiKey());
      for (let count = 0; count < 300; count += 1) await store.createToken(sampleToken());
      await Promise.all(Array.from({length: 3000}, () => activate(store)));
      await store.close();
      const there = await copyStore(first, database.url, options);
      await database.query(distribute);
      const back = await copyStore(database.url, at('second'), options);
      expect(there).to.deep.equal({apiKeys: 1, connectors: 3000, tokens: 3300});
      expect(back).to.deep.equal(there);
      const [before, after] = await Promise.all(
        ['first', 'second'].map(async (name) => {
          const opened = await openStore(at(name), options);
          return listAll(opened, 'acme').finally(() => opened.close());
        }),
      );
      expect(after).to.deep.equal(before);
      const shards = await database.query(
        `SELECT count(DISTINCT nodename || nodeport)::int AS nodes FROM citus_shards
         WHERE table_name = 'connectors'::regclass`,
      );
      expect(shards).to.deep.equal([{nodes: 2}]);
    });
  });
}

function describeDeadWorker(): void {
  describe('serve on Citus when a worker is killed under load', () => {
    let database: TestDatabase;
    before(async () => {
      // Its tables are removed together with the servers.
      database = await makeDistributed();
    });

    it('answers 503 until the worker is back, and loses no acknowledged change', async () => {
      const service = await startService(database.url, ['--log-level', 'warn']);
      const key = await createKey(database.url);
      const clients = new RetryingClients(service.url, key);
      clients.start(8);
      await clients.acknowledges(200);
      const [victim] = servers!.workers;
      await victim!.stop('SIGKILL');
      await clients.defers(8);
      // The coordinator alone holds what this writes.
      expect(await readiness(service)).to.equal(200);
      await victim!.start();
      await clients.acknowledges(200);
      await clients.stop();
      expect([clients.complaints, clients.failures]).to.deep.equal([[], []]);
      // What the worker had prepared is committed by then.
      for (;;) {
        const [row] = await victim!.query<{open: number}>(
          'SELECT count(*)::int AS open FROM pg_prepared_xacts',
        );
        if (row?.open === 0) break;
        await delay(1000);
      }
      await clients.verify(service.url);
      expect(service.process.exitCode).to.equal(null);
    });
  });
}
