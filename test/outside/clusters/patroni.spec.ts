import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {RetryingClients} from '../../store/postgres/clients.js';
import {createKey, untilReadinessIs} from '../../store/postgres/fixture.js';
import {notice} from '../../support/notice.js';
import {type Service, startService} from '../../support/process/child.js';
import {describeWith} from '../installed.js';
import {PatroniCluster} from './patroni.js';

describeWith(['patroni'], 'serve on PostgreSQL with Patroni and haproxy', function () {
  this.timeout(540_000);
  let cluster: PatroniCluster;
  let service: Service;
  let clients: RetryingClients;
  const outages: string[] = [];

  before(async () => {
    cluster = await PatroniCluster.start();
    service = await startService(cluster.url, ['--log-level', 'warn']);
    clients = new RetryingClients(service.url, await createKey(cluster.url));
    clients.start(8, 500);
    await clients.acknowledges(50);
  });

  after(async () => {
    await service?.stop('SIGKILL');
    await cluster?.remove();
    for (const line of outages) notice(line);
  });

  const readyIs = (status: number) => untilReadinessIs(status, service);

  /** Disturbs the cluster and waits until cluster and service are healthy again. */
  const through = async (event: string, happen: () => Promise<unknown>): Promise<void> => {
    clients.takeLongestPause();
    const before = await cluster.leadership();
    await happen();
    while ((await cluster.leadership()) === before) await delay(100);
    await cluster.isHealthy();
    await readyIs(200);
    await clients.acknowledges(50);
    const seconds = (clients.takeLongestPause() / 1000).toFixed(1);
    const {name} = await cluster.leader();
    const moved = before.startsWith(`${name} `) ? 'same leader' : 'new leader';
    outages.push(`${event}: ${seconds} s without an acknowledged change, ${moved}`);
    expect([clients.complaints, clients.failures]).to.deep.equal([[], []]);
    expect(service.process.exitCode).to.equal(null);
  };

  it('recovers from a switchover', () => through('switchover', () => cluster.switchover()));

  it('recovers from a kill -9 of PostgreSQL on the leader', () =>
    through('kill -9 of PostgreSQL', async () =>
      cluster.signalServer(await cluster.leader(), 'SIGKILL'),
    ));

  it('recovers from a kill -9 of Patroni and PostgreSQL on the leader', () =>
    through('kill -9 of Patroni and PostgreSQL', async () => {
      const leader = await cluster.leader();
      cluster.signalPatroni(leader, 'SIGKILL');
      cluster.signalServer(leader, 'SIGKILL');
      while ((await cluster.leader()).name === leader.name) await delay(100);
      cluster.startNode(leader);
    }));

  it('recovers when the leader is suspended until another node leads, and then resumed', () =>
    through('leader stands still', async () => {
      const leader = await cluster.leader();
      cluster.signalPatroni(leader, 'SIGSTOP');
      cluster.signalServer(leader, 'SIGSTOP', true);
      while ((await cluster.leader()).name === leader.name) await delay(100);
      await readyIs(200);
      cluster.signalServer(leader, 'SIGCONT', true);
      cluster.signalPatroni(leader, 'SIGCONT');
    }));

  it('leaves no session behind when both standbys are lost, and recovers when they are back', async () => {
    const leader = await cluster.leader();
    const standbys = cluster.nodes.filter(({name}) => name !== leader.name);
    for (const node of standbys) {
      cluster.signalPatroni(node, 'SIGKILL');
      cluster.signalServer(node, 'SIGKILL');
    }
    await clients.defers(16);
    while ((await cluster.countWaiting(leader)) > 10) await delay(100);
    for (const node of standbys) cluster.startNode(node);
    await cluster.isHealthy();
    await readyIs(200);
    await clients.acknowledges(50);
    while ((await cluster.countWaiting(leader)) > 0) await delay(100);
    expect([clients.complaints, clients.failures]).to.deep.equal([[], []]);
  });

  it('recovers when etcd does not respond for 25 seconds', () =>
    through('etcd stands still for 25 s', async () => {
      cluster.signalEtcd('SIGSTOP');
      try {
        // A leader that cannot renew its key in etcd stops accepting writes.
        await Promise.all([readyIs(503), delay(25_000)]);
      } finally {
        cluster.signalEtcd('SIGCONT');
      }
    }));

  it('loses no acknowledged change and applies none twice', async () => {
    await clients.stop();
    expect([clients.complaints, clients.failures]).to.deep.equal([[], []]);
    await clients.verify(service.url);
    expect(service.stderr()).to.not.include('gone back to an older state');
  });
});
