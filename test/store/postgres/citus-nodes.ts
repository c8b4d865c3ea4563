import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {fillPath, routes, serviceRoutes} from '../../../src/contract/index.js';
import {openStore} from '../../../src/store/open.js';
import {runChild, type Service, startService} from '../../support/child.js';
import type {CitusServers} from '../../support/citus.js';
import type {PostgresCluster} from '../../support/postgres-cluster.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {
  activate,
  expectKind,
  listAll,
  rejection,
  sampleApiKey,
} from '../../support/store/samples.js';
import {call} from './call.js';
import {startAgain} from './citus-commits.js';
import {createKey, StoreDatabase} from './fixture.js';
import {Fleet} from './fleet.js';

const tablesIn = (server: PostgresCluster, database?: string) =>
  server.query("SELECT relname FROM pg_class WHERE relname = 'store_info'", database);

/** Stores and services that use any node of a cluster. */
export function describeNodes(cluster: () => CitusServers): void {
  describe('a store at a worker of Citus', () => {
    const options = {log: new RecordedLog(), now: Date.now};

    it('is refused, and nothing is created, where the worker does not know the cluster', async () => {
      const [worker] = cluster().workers;
      await worker!.query('CREATE DATABASE lonely');
      await worker!.query('CREATE EXTENSION citus', 'lonely');
      const error = await rejection(openStore(worker!.url('lonely'), options));
      expect(expectKind(error, 'misconfigured').message).to.include('knows no node of a cluster');
      expect(await tablesIn(worker!, 'lonely')).to.deep.equal([]);
    });

    it('is refused, and nothing is created, without tables and without the coordinator in its URL', async () => {
      const [worker] = cluster().workers;
      const before = await tablesIn(worker!);
      const fixture = await StoreDatabase.make({}, cluster().url, cluster().addresses[0]);
      const error = await rejection(fixture.open());
      const {message} = expectKind(error, 'misconfigured');
      expect(message).to.include(`127.0.0.1:${cluster().coordinator.port}`);
      expect(message).to.include('Add it to the URL of the store.');
      expect(await tablesIn(worker!)).to.deep.equal(before);
      await fixture.cleanup();
    });

    it('lets the coordinator share the tables that an earlier build left there', async () => {
      const earlier = await StoreDatabase.make({}, cluster().url);
      const store = await earlier.open();
      const [key, connector] = [sampleApiKey(), await activate(store)];
      await store.createApiKey(key);
      await store.close();
      await earlier.database.query(
        "SELECT undistribute_table('api_keys'), undistribute_table('store_info')",
      );
      const hosts = cluster().addresses.join();
      const url = earlier.database.url.replace(/@[^/]+\//, `@${hosts}/`);
      const moved = await openStore(`${url}&load_balance_hosts=disable`, {
        ...options,
        create: false,
      });
      expect(await moved.listApiKeys()).to.deep.equal([key]);
      expect(await listAll(moved, 'acme')).to.deep.equal([connector]);
      expect(await moved.check()).to.deep.equal([]);
      await moved.close();
      await earlier.cleanup();
    });
  });

  describe('serve with all nodes of a Citus cluster in its URL', () => {
    let service: Service;
    let key: string;
    let database: StoreDatabase['database'];

    // The database is removed together with its servers.
    before(async () => {
      ({database} = await StoreDatabase.make({}, cluster().url, cluster().addresses.join()));
      service = await startService(database.url, ['--log-level', 'warn']);
      key = await createKey(database.url);
    });
    after(() => service?.stop('SIGKILL'));

    /** Heartbeats with the connector's own key until one is acknowledged; the other responses must be 503. */
    const beats = async ({id, api_key: own}: {id: string; api_key: string}) => {
      for (;;) {
        const path = fillPath(routes.heartbeat.path, {id});
        const {status} = await call(service.url, path, {key: own, body: {}});
        if (status === 200) return;
        expect(status).to.equal(503);
      }
    };

    const readyIs = async (status: number) => {
      while ((await call(service.url, serviceRoutes.ready.path, {key})).status !== status) {
        await delay(50);
      }
    };

    it('leaves a node that is killed under load for the next, and loses nothing acknowledged', async () => {
      const [first] = cluster().workers;
      const sessions = await first!.query(
        "SELECT FROM pg_stat_activity WHERE application_name = 'connectorctl'",
      );
      expect(sessions).not.to.deep.equal([]);
      const fleet = new Fleet(service.url, key);
      fleet.start(8);
      await fleet.acknowledges(200);
      const made = fleet.tracked.flatMap(({activated}) => activated ?? []);
      const alive = await database.query<{id: string}>(
        `SELECT id FROM unnest($1::text[]) AS ids (id) JOIN pg_dist_placement AS p
           ON p.shardid = get_shard_id_for_distribution_column('connectors', id)
         JOIN pg_dist_node AS n ON n.groupid = p.groupid WHERE nodeport <> $2`,
        [made.map(({id}) => id), first!.port],
      );
      const living = made.filter(({id}) => alive.some((row) => row.id === id));
      expect(living).to.have.length.above(3);
      await first!.stop('SIGKILL');
      for (const connector of living) await beats(connector);
      await readyIs(503);
      await startAgain(first!);
      await readyIs(200);
      await fleet.acknowledges(100);
      await fleet.stop();
      expect([fleet.complaints, fleet.failures]).to.deep.equal([[], []]);
      await fleet.verify(service.url);
      expect(service.stderr()).to.not.include('gone back to an older state');

      const {coordinator} = cluster();
      await coordinator.stop('SIGKILL');
      for (const connector of made) await beats(connector);
      expect((await call(service.url, routes.list.path, {key})).status).to.equal(200);
      const [removed] = made;
      const words = ['store', 'remove', removed!.id, '--yes', '--store', database.url];
      expect((await runChild(words)).code).to.equal(0);
      const path = fillPath(routes.get.path, {id: removed!.id});
      expect((await call(service.url, path, {key})).status).to.equal(404);
      await startAgain(coordinator);
      await readyIs(200);
    });
  });
}
