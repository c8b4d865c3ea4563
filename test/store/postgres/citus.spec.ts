import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {
  type Connector,
  fillPath,
  type Heartbeat,
  headers,
  type Problem,
  routes,
  serviceRoutes,
} from '../../../src/contract/index.js';
import {copyStore} from '../../../src/store/copy.js';
import {openStore} from '../../../src/store/open.js';
import {parseLocation} from '../../../src/store/postgres/connection/location.js';
import type {Statement} from '../../../src/store/postgres/connection/run.js';
import {defaultTimeLimits} from '../../../src/store/postgres/connection/time-limits.js';
import {readTls} from '../../../src/store/postgres/connection/tls.js';
import {makeDatabase} from '../../../src/store/postgres/open.js';
import {migrations} from '../../../src/store/postgres/schema.js';
import {
  findConnectors,
  findOneConnector,
  insertConnectors,
  insertTokens,
  recordHeartbeats,
  recordOneHeartbeat,
  redeemTokens,
  statements,
} from '../../../src/store/postgres/statements.js';
import {type Service, startService} from '../../support/child.js';
import {CitusServers, findCitus} from '../../support/citus.js';
import {notice} from '../../support/notice.js';
import {atHosts, makeTestDatabase} from '../../support/postgres.js';
import {describeStore} from '../../support/store/conformance.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {
  activate,
  connectorId,
  listAll,
  minute,
  sampleApiKey,
  sampleAttempt,
  sampleReissue,
  sampleToken,
  start,
} from '../../support/store/samples.js';
import {call} from './call.js';
import {describeCommits, startAgain} from './citus-commits.js';
import {describeNodes} from './citus-nodes.js';
import {createKey, StoreDatabase} from './fixture.js';
import {Fleet} from './fleet.js';
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

    // A worker comes first. It lets the coordinator create the tables, and takes all other statements.
    const hosts = () => servers?.addresses.join();
    describeStore('PostgreSQL store on Citus', () => StoreDatabase.make({}, url, hosts()));
    describeProcesses('one Citus cluster', async () => {
      const database = await makeTestDatabase({}, url);
      return atHosts(database, hosts() ?? new URL(url).host);
    });
    describeLayout();
    describeCopies();
    if ('archive' in source) {
      describeCommits(() => servers!);
      describeNodes(() => servers!);
      describeDeadWorker();
    }
  });
}

function describeLayout(): void {
  describe('the tables of a store on Citus', () => {
    let fixture: StoreDatabase;

    beforeEach(async () => {
      fixture = await StoreDatabase.make({}, url);
    });
    afterEach(() => fixture.cleanup());

    it('are distributed when they are created, except api_keys and store_info, which are on every node', async () => {
      await (await fixture.open()).close();
      const tables = await fixture.database.query<{name: string; column: string}>(
        `SELECT relname AS name, column_to_column_name(logicalrelid, partkey) AS column
         -- A reference table has no such column.
         FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
         WHERE relnamespace = current_schema()::regnamespace ORDER BY relname`,
      );
      expect(tables).to.deep.equal([
        {name: 'activation_tokens', column: 'hash'},
        {name: 'api_keys', column: null},
        {name: 'connectors', column: 'id'},
        {name: 'store_info', column: null},
      ]);
    });

    it('have as many shards of connectors as citus.shard_count says', async () => {
      const small = await StoreDatabase.make({'citus.shard_count': '8'}, url);
      try {
        const store = await small.open();
        const made = await Promise.all(Array.from({length: 40}, () => activate(store)));
        const found = await Promise.all(
          made.map(({id}) => store.findConnector(id, {organization: 'acme'})),
        );
        expect(found).to.deep.equal(made);
        await store.check();
        await store.close();
        const [row] = await small.database.query(
          `SELECT count(*)::int AS shards FROM pg_dist_shard
           WHERE logicalrelid = 'connectors'::regclass`,
        );
        expect(row).to.deep.equal({shards: 8});
      } finally {
        await small.cleanup();
      }
    });

    it('are migrated, with their connectors, from each earlier version', async () => {
      for (const version of migrations.slice(1).keys()) {
        const earlier = await StoreDatabase.make({}, url);
        await (await earlier.open({migrations: migrations.slice(0, version + 1)})).close();
        await earlier.database.query(
          `INSERT INTO connectors (id, organization, name, key_hash, activated_at)
           SELECT 'con_' || number, 'acme', 'early', 'hash', 0 FROM generate_series(1, 40) AS number`,
        );
        const store = await earlier.open();
        const {id} = await activate(store);
        const reissue = sampleReissue('con_7');
        await store.reissueToken(reissue);
        expect((await store.redeemToken(sampleAttempt(reissue))).outcome).to.equal('reissued');
        expect(await store.removeConnectors(['con_8', id], null)).to.have.length(2);
        expect(await listAll(store, 'acme')).to.have.length(39);
        await store.close();
        await earlier.cleanup();
      }
    });

    it('stay on the coordinator and work when they were created before the extension', async () => {
      const store = await fixture.open();
      await store.close();
      await fixture.database.query(
        `SELECT undistribute_table(name) FROM unnest(ARRAY['connectors', 'activation_tokens',
           'api_keys', 'store_info']::regclass[]) AS tables (name)`,
      );
      const reopened = await fixture.open();
      const connector = await activate(reopened);
      await reopened.check();
      expect(await listAll(reopened, 'acme')).to.deep.equal([connector]);
      await reopened.close();
    });

    it('are reached by sessions that open one connection to each worker', async () => {
      const location = parseLocation(fixture.database.url);
      const log = new RecordedLog();
      const database = makeDatabase(location, await readTls(location), defaultTimeLimits, {log});
      const name = 'citus.max_adaptive_executor_pool_size';
      const text = `SELECT current_setting('${name}') AS size`;
      expect(await database.query({text})).to.deep.equal([{size: '1'}]);
      await database.close();
    });

    it('let each statement about single records use one shard', async () => {
      await (await fixture.open()).close();
      const ids = await sameShard(connectorId, 'connectors');
      const hashes = await sameShard(() => sampleToken().hash, 'activation_tokens');
      const one = ids.map(() => 1);
      const {hash, organization} = sampleToken();
      const cases: readonly (readonly [Statement, readonly unknown[]])[] = [
        [findOneConnector('organization'), [ids[0], 'acme']],
        [findOneConnector('key_hash'), [ids[0], 'hash']],
        [recordOneHeartbeat('organization'), [ids[0], 'acme', 1]],
        [recordOneHeartbeat('key_hash'), [ids[0], 'hash', 1]],
        [findConnectors('organization', 'shard'), [ids, ids]],
        [findConnectors('key_hash', 'shard'), [ids, ids]],
        [recordHeartbeats('organization', 'shard'), [ids, ids, one]],
        [recordHeartbeats('key_hash', 'shard'), [ids, ids, one]],
        [redeemTokens, [hashes, ids, ids, one, null]],
        [statements.findToken, [hash]],
        [statements.findTokens, [hashes]],
        [statements.findConnectorsById, [ids]],
        [insertTokens(1), [hash, organization, null, 1, 1, null, null, null, null]],
        [insertConnectors(1), [ids[0], 'acme', 'name', 'hash', 1, ...Array(5).fill(null)]],
        [statements.revokeConnector, [ids[0], 1, null]],
        [statements.findValidConnector, [ids[0], 'hash']],
        [statements.claimId, [ids[0]]],
        [statements.confirmConnector, [ids[0]]],
      ];
      for (const [{name, text}, values] of cases) {
        const plan = await fixture.database.query<{'QUERY PLAN': string}>(`EXPLAIN ${text}`, [
          ...values,
        ]);
        const lines = plan.map((row) => row['QUERY PLAN'].trim());
        expect(lines, name).to.include('Task Count: 1');
      }
    });

    it('lose their unused tokens an hour after the expiry, on every shard', async () => {
      const expiresAt = start + minute;
      const store = await fixture.open();
      const old = Array.from({length: 1001}, () => sampleToken({expiresAt}));
      const kept = Array.from({length: 20}, () => sampleToken({expiresAt: expiresAt + 1}));
      await Promise.all([...old, ...kept].map((token) => store.createToken(token)));
      await store.close();
      const hashes = async () =>
        (await fixture.database.query('SELECT hash FROM activation_tokens')).map(({hash}) => hash);
      expect(await hashes()).to.have.length(1021);
      const [row] = await fixture.database.query<{shards: number}>(
        `SELECT count(DISTINCT get_shard_id_for_distribution_column('activation_tokens', hash))::int
           AS shards FROM unnest($1::text[]) AS hashes (hash)`,
        [old.map(({hash}) => hash)],
      );
      expect(row?.shards).to.equal(4);

      fixture.now = expiresAt + 1 + 60 * minute;
      const later = await fixture.open();
      while ((await hashes()).length > kept.length) await later.check();
      expect((await hashes()).sort()).to.deep.equal(kept.map(({hash}) => hash).sort());
      await later.close();
    });

    /** Some keys that Citus puts on one shard. */
    const sameShard = async (make: () => string, table: string): Promise<string[]> => {
      const keys = Array.from({length: 400}, make);
      const rows = await fixture.database.query<{shard: number; key: string}>(
        `SELECT get_shard_id_for_distribution_column('${table}', key) AS shard, key
         FROM unnest($1::text[]) AS keys (key)`,
        [keys],
      );
      const found = rows.filter(({shard}) => shard === rows[0]?.shard).map(({key}) => key);
      expect(found).to.have.length.above(2);
      return found;
    };
  });
}

function describeCopies(): void {
  describe('a copy to Citus', () => {
    it('equals its source, and a copy back to files equals both', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'connectorctl-citus-copy-'));
      const database = await makeTestDatabase({}, url);
      try {
        const options = {log: new RecordedLog(), now: Date.now};
        const first = join(directory, 'first');
        const store = await openStore(first, options);
        await store.createApiKey(sampleApiKey());
        for (let count = 0; count < 300; count += 1) await store.createToken(sampleToken());
        await Promise.all(Array.from({length: 3000}, () => activate(store)));
        await store.close();
        const there = await copyStore(first, database.url, options);
        const back = await copyStore(database.url, join(directory, 'second'), options);
        expect(there.connectors.records).to.equal(3000);
        expect(there.tokens.records).to.equal(3300);
        expect(back).to.deep.equal(there);
      } finally {
        await database.drop();
        await rm(directory, {recursive: true, force: true});
      }
    });
  });
}

function describeDeadWorker(): void {
  describe('serve on Citus when a worker dies under load', () => {
    let service: Service;
    let key: string;
    let database: Awaited<ReturnType<typeof makeTestDatabase>>;

    before(async () => {
      database = await makeTestDatabase({}, url);
      service = await startService(database.url, ['--log-level', 'warn']);
      key = await createKey(database.url);
    });

    // The database is removed together with its servers.
    after(() => service?.stop('SIGKILL'));

    const ready = () => call<Problem>(service.url, serviceRoutes.ready.path, {key});
    const readyIs = async (status: number) => {
      while ((await ready()).status !== status) await delay(50);
    };

    it('keeps serving the connectors of the other workers, and serves all connectors when the worker is back', async () => {
      const fleet = new Fleet(service.url, key);
      fleet.start(8);
      await fleet.acknowledges(400);
      await fleet.stop();
      expect([fleet.complaints, fleet.failures]).to.deep.equal([[], []]);
      const [victim] = servers!.workers;
      const ids = fleet.tracked.flatMap(({activated}) => activated?.id ?? []);
      const rows = await database.query<{id: string; isDead: boolean}>(
        `SELECT id, nodeport = $2 AS "isDead" FROM unnest($1::text[]) AS ids (id)
         JOIN pg_dist_placement AS p
           ON p.shardid = get_shard_id_for_distribution_column('connectors', id)
         JOIN pg_dist_node AS n ON n.groupid = p.groupid`,
        [ids, victim!.port],
      );
      const [dead, living] = [true, false].map(
        (isDead) => new Set(rows.filter((row) => row.isDead === isDead).map(({id}) => id)),
      ) as [Set<string>, Set<string>];
      expect(Math.min(dead.size, living.size)).to.be.above(3);

      /** Statuses of heartbeats that began while the worker was dead. */
      const statuses: Record<'dead' | 'living', number[]> = {dead: [], living: []};
      const acknowledged = new Map<string, string>();
      let [isDown, isOver] = [false, false];
      const beat = async (id: string): Promise<void> => {
        while (!isOver) {
          const wasDown = isDown;
          const path = fillPath(routes.heartbeat.path, {id});
          const response = await call<Heartbeat>(service.url, path, {key, body: {}});
          if (response.status === 200) acknowledged.set(id, response.body.last_heartbeat_at);
          else {
            expect(response.status).to.equal(503);
            expect(response.headers.get(headers.retryAfter)).to.equal('1');
          }
          if (wasDown) statuses[dead.has(id) ? 'dead' : 'living'].push(response.status);
        }
      };
      const clients = Promise.all(ids.map(beat));
      await victim!.stop('SIGKILL');
      isDown = true;
      let detail: string | undefined;
      // Without a detail, an overloaded service refused it.
      while (detail === undefined) ({detail} = (await ready()).body);
      expect(detail).to.match(
        /^Node \d+ of the database, which holds 16 of 32 shards, cannot be used\.$/,
      );
      // A balancer that probes it keeps the service, which still serves the connectors of the other worker.
      expect((await call(service.url, serviceRoutes.health.path, {key})).status).to.equal(200);
      while (statuses.living.length < 500 || statuses.dead.length < 5) await delay(50);
      isDown = false;
      expect(statuses.living.filter((status) => status !== 200)).to.deep.equal([]);
      expect(new Set(statuses.dead)).to.deep.equal(new Set([503]));
      await startAgain(victim!);
      await readyIs(200);
      acknowledged.clear();
      while (acknowledged.size < ids.length) await delay(50);
      isOver = true;
      await clients;

      expect(service.stderr()).to.not.include('lost the connection to the database');
      expect(service.process.exitCode).to.equal(null);
      const {body} = await call<Connector[]>(service.url, routes.list.path, {key});
      for (const {id, last_heartbeat_at: at} of body) {
        expect(at! >= (acknowledged.get(id) ?? '')).to.equal(true);
      }
      await fleet.verify(service.url);
    });
  });
}
