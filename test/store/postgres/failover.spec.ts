import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {
  type ActivatedConnector,
  type ActivationToken,
  fillPath,
  routes,
} from '../../../src/contract/index.js';
import {tcpProxy} from '../../support/network/tcp-service.js';
import {call} from '../../support/postgres/call.js';
import type {PostgresCluster} from '../../support/postgres/cluster.js';
import {startPair} from '../../support/postgres/pair.js';
import {type Service, startService} from '../../support/process/child.js';
import {RetryingClients} from './clients.js';
import {createKey, readiness, untilReadinessIs} from './fixture.js';

describe('serve on a PostgreSQL primary with a synchronous standby, behind a proxy', function () {
  this.timeout(360_000);
  let primary: PostgresCluster;
  let standby: PostgresCluster;
  let leader: PostgresCluster;
  let proxy: Awaited<ReturnType<typeof tcpProxy>>;
  let service: Service;
  let url: string;
  let key: string;

  before(async () => {
    [primary, standby] = await startPair();
    leader = primary;
    proxy = await tcpProxy(() => leader.port);
    url = `postgres://postgres@127.0.0.1:${proxy.port}/connectors`;
    service = await startService(url, ['--log-level', 'warn']);
    key = await createKey(url);
  });

  after(async () => {
    await service?.stop('SIGKILL');
    await proxy?.close();
    await Promise.all([primary, standby].map((cluster) => cluster?.remove()));
  });

  const ready = () => readiness(service);
  const readyIs = (status: number) => untilReadinessIs(status, service);

  it('is not ready while commits wait for the standby, and is ready again when the standby is back', async () => {
    expect(await ready()).to.equal(200);
    await standby.stop('SIGQUIT');
    expect(await ready()).to.equal(503);
    await standby.start();
    await readyIs(200);
  });

  it('acknowledges no commit that the primary stopped waiting for', async () => {
    await standby.stop('SIGQUIT');
    const created = call(service.url, routes.createToken.path, {key, body: {}});
    for (;;) {
      const [stopped] = await primary.query(
        `SELECT count(pg_cancel_backend(pid))::int AS stopped FROM pg_stat_activity
         WHERE wait_event = 'SyncRep' AND query = 'COMMIT'`,
      );
      if (stopped?.['stopped'] > 0) break;
      await delay(20);
    }
    expect((await created).status).to.equal(503);
    await standby.start();
    await readyIs(200);
  });

  it('repeats an activation that only the primary has as soon as the standby has it too, and not before', async () => {
    // The next test compares the whole list of the other organization.
    const key = await createKey(url, 'other');
    const {body} = await call<ActivationToken>(service.url, routes.createToken.path, {
      key,
      body: {},
    });
    const activate = () =>
      call<ActivatedConnector>(service.url, routes.activate.path, {
        key,
        body: {token: body.token, name: 'web-1'},
        idempotencyKey: 'only-once',
      });
    await standby.stop('SIGQUIT');
    expect((await activate()).status).to.equal(503);
    // It now shows the commit that waited for the standby.
    await primary.stop('SIGKILL');
    await primary.start();
    const [found] = await primary.query('SELECT name FROM connectors', 'connectors');
    expect(found).to.deep.equal({name: 'web-1'});
    expect((await activate()).status).to.equal(503);
    await standby.start();
    await readyIs(200);
    const repeated = await activate();
    expect(repeated.status).to.equal(201);
    const {id, api_key: own} = repeated.body;
    expect((await call(service.url, fillPath(routes.get.path, {id}), {key: own})).status).to.equal(
      200,
    );
    const [copied] = await standby.query('SELECT id FROM connectors', 'connectors');
    expect(copied).to.deep.equal({id});
  });

  it('loses no acknowledged change when the primary is killed and the standby promoted', async () => {
    const clients = new RetryingClients(service.url, key);
    clients.start(16);
    await clients.acknowledges(300);

    await primary.stop('SIGKILL');
    await clients.defers(16);
    expect(await ready()).to.equal(503);
    await standby.query('SELECT pg_promote()');
    leader = standby;
    await readyIs(200);
    await clients.acknowledges(300);
    await clients.stop();

    expect([clients.complaints, clients.failures]).to.deep.equal([[], []]);
    expect(service.process.exitCode).to.equal(null);
    await clients.verify(service.url);
  });
});
