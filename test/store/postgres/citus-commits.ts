import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import {openPostgresStore} from '../../../src/store/postgres/open.js';
import type {CitusServers} from '../../support/citus.js';
import {atHosts} from '../../support/postgres.js';
import type {PostgresCluster} from '../../support/postgres-cluster.js';
import {
  activated,
  connectorId,
  expectKind,
  listAll,
  rejection,
  sampleAttempt,
  sampleToken,
} from '../../support/store/samples.js';
import {StoreDatabase} from './fixture.js';

/** A redemption whose commit is interrupted between its two phases. */
export function describeCommits(cluster: () => CitusServers): void {
  describe('a redemption on Citus whose commit is interrupted between its phases', () => {
    let fixture: StoreDatabase;

    // The database is removed together with its servers.
    beforeEach(async () => {
      fixture = await StoreDatabase.make({}, cluster().url);
    });

    const committing =
      "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'";

    /** The worker that holds the shard of a key. */
    const workerOf = async (table: string, key: string): Promise<PostgresCluster> => {
      const [row] = await fixture.database.query<{port: number}>(
        `SELECT nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
         WHERE shardid = get_shard_id_for_distribution_column('${table}', $1::text)`,
        [key],
      );
      return cluster().workers.find(({port}) => port === row?.port)!;
    };

    it('is not acknowledged when the worker of its connector is lost, and is repeated when that worker is back', async () => {
      const store = await fixture.open({});
      const token = sampleToken();
      await store.createToken(token);
      const tokenWorker = await workerOf('activation_tokens', token.hash);
      let id = connectorId();
      while ((await workerOf('connectors', id)) === tokenWorker) id = connectorId();
      const worker = await workerOf('connectors', id);
      const attempt = sampleAttempt(token, {connector: {id}});
      const {coordinator} = cluster();
      const prepared = "SELECT gid FROM pg_prepared_xacts WHERE gid LIKE 'citus_%'";
      const before = (await worker.query(prepared)).length;
      // The coordinator commits between the two phases of the workers, and waits there for a standby.
      await holdCommits(coordinator);
      const refused = rejection(store.redeemToken(attempt));
      while ((await worker.query(prepared)).length === before) await delay(10);
      while ((await coordinator.query(committing)).length === 0) await delay(10);
      await worker.stop('SIGKILL');
      await setStandby(coordinator, '');
      expectKind(await refused, 'unavailable');
      await startAgain(worker);
      // Its connector is not visible until Citus recovers the transaction.
      expectKind(await rejection(store.redeemToken(attempt)), 'unavailable');
      await coordinator.query('SELECT recover_prepared_transactions()');
      expect(await store.redeemToken(attempt)).to.deep.equal({
        outcome: 'redeemed',
        connector: activated(attempt),
      });
      await store.close();
    });

    it('is answered 503 until both parts are visible, when the node that began it is lost', async () => {
      const store = await fixture.open({timeLimits: {statement: 1000}});
      const token = sampleToken();
      await store.createToken(token);
      const idempotencyHash = hashSecret('once');
      const attempt = sampleAttempt(token, {idempotencyHash});
      const {id, name, keyHash, activatedAt} = attempt.connector;
      // What such a node leaves on the others; Citus names and ends such transactions itself, at any time.
      const [tokenWorker, connectorWorker] = [
        await workerOf('activation_tokens', token.hash),
        await workerOf('connectors', id),
      ];
      const prepare = async (worker: PostgresCluster, gid: string, change: string) =>
        worker.query(`BEGIN; ${change}; PREPARE TRANSACTION '${gid}'`);
      await prepare(
        tokenWorker,
        'lost_token',
        `UPDATE ${await shardOf('activation_tokens', token.hash)}
         SET redeemed_at = ${attempt.at}, connector_id = '${id}',
           idempotency_hash = '${idempotencyHash}' WHERE hash = '${token.hash}'`,
      );
      await prepare(
        connectorWorker,
        'lost_connector',
        `INSERT INTO ${await shardOf('connectors', id)}
           (id, organization, name, key_hash, activated_at)
         VALUES ('${id}', '${token.organization}', '${name}', '${keyHash}', ${activatedAt})`,
      );
      const repeat = () => store.redeemToken(sampleAttempt(token, {idempotencyHash}));
      expectKind(await rejection(repeat()), 'unavailable');
      await tokenWorker.query("COMMIT PREPARED 'lost_token'");
      expectKind(await rejection(repeat()), 'unavailable');
      await connectorWorker.query("COMMIT PREPARED 'lost_connector'");
      expect(await repeat()).to.deep.equal({outcome: 'repeated', connector: activated(attempt)});
      await store.close();
    });

    it('is answered "used" when its connector was removed, also before that is visible in its token', async () => {
      const store = await fixture.open({});
      const token = sampleToken();
      await store.createToken(token);
      const idempotencyHash = hashSecret('once');
      const repeat = () => store.redeemToken(sampleAttempt(token, {idempotencyHash}));
      await store.redeemToken(sampleAttempt(token, {idempotencyHash}));
      // The worker of the token has not committed its part of the removal yet.
      await fixture.database.query('DELETE FROM connectors');
      expect(await repeat()).to.deep.equal({outcome: 'used'});
      expect(await listAll(store, 'acme')).to.deep.equal([]);
      await store.close();
    });

    it('is completed, and answers a repeat at another node, once the node that began it and was killed is back', async () => {
      const {coordinator, workers} = cluster();
      const begins = await fixture.open({});
      const token = sampleToken();
      await begins.createToken(token);
      const idempotencyHash = hashSecret('once');
      let id = connectorId();
      const tokenWorker = await workerOf('activation_tokens', token.hash);
      while ((await workerOf('connectors', id)) === tokenWorker) id = connectorId();
      const attempt = sampleAttempt(token, {idempotencyHash, connector: {id}});
      await holdCommits(coordinator);
      const refused = rejection(begins.redeemToken(attempt));
      // Its workers have prepared their parts, and its own commit is on the disk.
      while ((await coordinator.query(committing)).length === 0) await delay(10);
      await coordinator.stop('SIGKILL');
      expectKind(await refused, 'unavailable');
      const url = atHosts(fixture.database, `127.0.0.1:${workers[0]!.port}`).url;
      const options = {log: fixture.log, now: () => fixture.now, create: false};
      const other = await openPostgresStore(url, options);
      const repeat = () => other.redeemToken(sampleAttempt(token, {idempotencyHash}));
      expectKind(await rejection(repeat()), 'unavailable');
      coordinator.configure({synchronous_standby_names: "''"});
      await startAgain(coordinator);
      await coordinator.query('SELECT recover_prepared_transactions()');
      expect(await repeat()).to.deep.equal({
        outcome: 'repeated',
        connector: activated(attempt),
      });
      await begins.close();
      await other.close();
    });

    const shardOf = async (table: string, key: string): Promise<string> => {
      const [row] = await fixture.database.query<{name: string}>(
        `SELECT current_schema() || '.${table}_'
           || get_shard_id_for_distribution_column('${table}', $1::text) AS name`,
        [key],
      );
      return row!.name;
    };
  });
}

async function setStandby(server: PostgresCluster, name: string): Promise<void> {
  server.configure({synchronous_standby_names: `'${name}'`});
  await server.query('SELECT pg_reload_conf()');
}

/** Makes each commit wait for a standby that does not exist; resolves once a first one waits. */
async function holdCommits(server: PostgresCluster): Promise<void> {
  await setStandby(server, 'nobody');
  const probe = "SELECT pg_logical_emit_message(true, '', '')";
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = $$${probe}$$`;
  let isOver: boolean;
  do {
    isOver = false;
    server.query(probe).then(
      () => {
        isOver = true;
      },
      // The server was killed.
      () => undefined,
    );
    while (!isOver && (await server.query(waiting)).length === 0) await delay(10);
  } while (isOver);
}

/** Shared memory is released only when the last process of the server has exited, so retries the start. */
export async function startAgain(server: PostgresCluster): Promise<void> {
  for (;;) {
    try {
      return await server.start();
    } catch {
      await delay(100);
    }
  }
}
