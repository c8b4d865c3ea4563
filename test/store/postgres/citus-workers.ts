import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {AcknowledgedState} from '../../../src/store/postgres/acknowledged.js';
import {CitusCluster} from '../../../src/store/postgres/citus.js';
import type {Database} from '../../../src/store/postgres/connection/database.js';
import {
  type Host,
  type PostgresLocation,
  parseLocation,
} from '../../../src/store/postgres/connection/location.js';
import {defaultTimeLimits} from '../../../src/store/postgres/connection/time-limits.js';
import {readTls} from '../../../src/store/postgres/connection/tls.js';
import {makeDatabase, openPostgresStore} from '../../../src/store/postgres/open.js';
import {findOneConnector} from '../../../src/store/postgres/statements.js';
import {DirectWorkers} from '../../../src/store/postgres/workers.js';
import type {Store} from '../../../src/store/store.js';
import type {CitusServers} from '../../support/citus.js';
import {closedPort} from '../../support/ports.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres.js';
import type {PostgresCluster} from '../../support/postgres-cluster.js';
import {activate, minute, start} from '../../support/store/samples.js';
import {patient, StoreDatabase} from './fixture.js';

/** The URL of the same database with direct connections to the workers. */
export const directly = (url: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}citus_workers=direct`;

const organization = 'acme';
const warning = 'statements for a worker go through the coordinator';
const cannotBeUsed = /^Node \d+ of the database cannot be used directly/;

/** Number of heartbeats that clients of a server, and not its own coordinator, have sent to it. */
export async function countHeartbeats(server: PostgresCluster): Promise<number> {
  const [row] = await server.query<{calls: number}>(
    `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements
     WHERE query LIKE 'UPDATE connectors AS c%last_heartbeat_at%'`,
  );
  return row?.calls ?? 0;
}

/** Tests of `citus_workers=direct`. */
export function describeDirectWorkers(getServers: () => CitusServers): void {
  describe('direct connections to the workers of Citus', () => {
    let fixture: StoreDatabase;
    let store: Store;
    let ids: readonly string[];
    let servers: CitusServers;

    before(async () => {
      servers = getServers();
      await servers.coordinator.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    });

    beforeEach(async () => {
      fixture = await StoreDatabase.make({}, directly(servers.url));
      store = await fixture.open();
      const made = await Promise.all(Array.from({length: 200}, () => activate(store)));
      ids = made.map(({id}) => id);
    });
    afterEach(async () => {
      await store.close();
      await fixture.cleanup();
    });

    const all = () => [servers.coordinator, ...servers.workers];
    const reset = () =>
      Promise.all(all().map((server) => server.query('SELECT pg_stat_statements_reset()')));
    const counts = () => Promise.all(all().map(countHeartbeats));
    /** Sends heartbeats and looks the connectors up. */
    const beat = async (): Promise<void> => {
      fixture.now += minute;
      const at = fixture.now;
      const beats = await Promise.all(
        ids.map((id) => store.recordHeartbeat(id, at, {organization})),
      );
      expect(beats.map((record) => record?.lastHeartbeatAt)).to.deep.equal(ids.map(() => at));
      const found = await Promise.all(ids.map((id) => store.findConnector(id, {organization})));
      expect(found.map((record) => record?.lastHeartbeatAt)).to.deep.equal(ids.map(() => at));
    };
    /** Sends heartbeats until none goes through the coordinator. */
    const beatDirectly = async (): Promise<number[]> => {
      for (;;) {
        await reset();
        await beat();
        const [coordinator = 0, ...workers] = await counts();
        if (coordinator === 0) return workers;
      }
    };

    it('carry heartbeats and look-ups, which do not reach the coordinator', async () => {
      for (const calls of await beatDirectly()) expect(calls).to.be.above(0);
      const [row] = await servers.coordinator.query<{calls: number}>(
        `SELECT count(*)::int AS calls FROM pg_stat_statements
         WHERE query LIKE 'SELECT c.id%unnest(%'`,
      );
      expect(row).to.deep.equal({calls: 0});
      expect(await store.check()).to.deep.equal([]);
      expect(fixture.log.messages).to.not.include(warning);
    });

    it('are not made without the parameter', async () => {
      await store.close();
      const url = fixture.database.url.replace('citus_workers=direct', 'citus_workers=coordinator');
      store = await openPostgresStore(url, {log: fixture.log, now: () => fixture.now}, patient);
      await reset();
      await beat();
      const [coordinator, ...workers] = await counts();
      expect(coordinator).to.be.above(0);
      expect(workers).to.deep.equal([0, 0]);
    });

    it('find the connectors of a shard that has moved to another worker', async () => {
      await beatDirectly();
      const move = (from: number, to: number) =>
        fixture.database.query(
          `SELECT citus_move_shard_placement(shardid, '127.0.0.1', $1, '127.0.0.1', $2, 'block_writes')
           FROM citus_shards WHERE table_name = 'connectors'::regclass AND nodeport = $1`,
          [from, to],
        );
      const [first, second] = servers.workers.map(({port}) => port) as [number, number];
      await move(first, second);
      await beat();
      // It reads where the shards are now.
      await store.check();
      const [calls] = await beatDirectly();
      expect(calls).to.equal(0);
    });

    it('are made again after a worker has ended them', async () => {
      await beatDirectly();
      for (const worker of servers.workers) {
        await worker.query(
          `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
           WHERE application_name = 'connectorctl'`,
        );
      }
      const warnings = () => fixture.log.messages.filter((message) => message === warning);
      while (warnings().length < 2) await delay(10);
      const found = await store.check();
      expect(found).to.have.length(2);
      for (const text of found) expect(text).to.match(cannotBeUsed);
      await beat();
      for (const calls of await beatDirectly()) expect(calls).to.be.above(0);
      expect(warnings()).to.have.length(2);
      expect(await store.check()).to.deep.equal([]);
    });

    describe('to a worker that refuses them', () => {
      let database: Database;
      /** Another store in the same cluster. */
      let another: StoreDatabase;
      /** A server without Citus. */
      let single: TestDatabase;

      before(async () => {
        another = await StoreDatabase.make({}, servers.url);
        await (await another.open()).close();
        single = await makeTestDatabase();
      });
      after(() => Promise.all([another.cleanup(), single.drop()]));

      beforeEach(async () => {
        const location = parseLocation(fixture.database.url);
        const tls = await readTls(location);
        database = makeDatabase(location, tls, defaultTimeLimits, {log: fixture.log});
      });
      afterEach(() => database.close());

      const cases: readonly {
        readonly why: string;
        readonly host?: () => Promise<Host>;
        readonly location?: () => Partial<PostgresLocation>;
        readonly reason: RegExp;
      }[] = [
        {
          why: 'when it cannot be reached',
          host: async () => ({host: '127.0.0.1', port: await closedPort()}),
          reason: /cannot be reached: connect ECONNREFUSED/,
        },
        {
          why: 'when the login is wrong',
          location: () => ({user: 'locked', password: 'wrong'}),
          reason: /password authentication failed/,
        },
        {
          why: 'when another server has its address',
          host: async () => parseLocation(single.url).hosts[0]!,
          reason: /relation "connectors" does not exist/,
        },
        {
          why: 'when its connectors are those of another store',
          location: () => ({options: parseLocation(another.database.url).options}),
          reason: /is not the one that the coordinator reaches/,
        },
      ];
      for (const {why, host, location, reason} of cases) {
        it(`are replaced by the coordinator ${why}`, async () => {
          const found = (await CitusCluster.find(database))!;
          const changed = await host?.();
          const direct = {...parseLocation(fixture.database.url), ...location?.()};
          const workers = new DirectWorkers({
            coordinator: database,
            cluster: {
              nodes: found.nodes.map((each) => ({...each, ...changed})),
              nodeOf: (id) => ({...found.nodeOf(id)!, ...changed}),
            },
            acknowledged: new AcknowledgedState({
              log: fixture.log,
              now: () => start,
              onRegression: undefined,
            }),
            location: direct,
            tls: await readTls(direct),
            times: defaultTimeLimits,
            options: {log: fixture.log},
          });
          try {
            let warnings: readonly string[] = [];
            while (warnings.length < 2) {
              for (const id of ids.slice(0, 10)) {
                const values = [id, organization];
                const executor = workers.executorFor(id);
                const [row] = await executor.query(findOneConnector('organization'), values);
                expect(row).to.include({id});
              }
              warnings = workers.check();
            }
            expect(warnings[0]).to.match(cannotBeUsed);
            const logged = fixture.log.entries.filter(({message}) => message === warning);
            for (const {details} of logged) expect(details['reason']).to.match(reason);
            expect(logged).to.have.length(changed === undefined ? 2 : 1);
          } finally {
            await workers.close();
          }
        });
      }
    });
  });
}
