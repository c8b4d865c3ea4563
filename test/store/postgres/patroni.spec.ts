import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {serviceRoutes} from '../../../src/contract/index.js';
import {type Service, startService} from '../../support/child.js';
import {missingPackages, PatroniCluster} from '../../support/patroni.js';
import {call} from './call.js';
import {createKey} from './fixture.js';
import {Fleet} from './fleet.js';

const missing = missingPackages();

if (missing.length > 0) {
  process.stderr.write(`Patroni is not tested: not installed here: ${missing.join(', ')}.\n`);
} else {
  describe('serve on PostgreSQL under Patroni, behind haproxy', function () {
    this.timeout(180_000);
    let cluster: PatroniCluster;
    let service: Service;
    let key: string;
    let fleet: Fleet;
    const outages: string[] = [];

    before(async () => {
      cluster = await PatroniCluster.start();
      service = await startService(cluster.url, ['--log-level', 'warn']);
      key = await createKey(cluster.url);
      fleet = new Fleet(service.url, key);
      fleet.start(8, 500);
      await fleet.acknowledges(50);
    });

    after(async () => {
      await service?.stop('SIGKILL');
      await cluster?.remove();
      for (const line of outages) process.stderr.write(`${line}\n`);
    });

    const ready = async () => (await call(service.url, serviceRoutes.ready.path, {key})).status;

    /** Does something to the cluster and waits until all is well again. */
    const through = async (event: string, happen: () => Promise<unknown>): Promise<void> => {
      fleet.takeLongestPause();
      const before = await cluster.leadership();
      await happen();
      while ((await cluster.leadership()) === before) await delay(100);
      await cluster.isHealthy();
      while ((await ready()) !== 200) await delay(50);
      await fleet.acknowledges(50);
      const seconds = (fleet.takeLongestPause() / 1000).toFixed(1);
      const {name} = await cluster.leader();
      const moved = before.startsWith(`${name} `) ? 'same leader' : 'new leader';
      outages.push(`${event}: ${seconds} s without an acknowledged change, ${moved}`);
      expect([fleet.complaints, fleet.failures]).to.deep.equal([[], []]);
      expect(service.process.exitCode).to.equal(null);
    };

    it('goes through a switchover', () => through('switchover', () => cluster.switchover()));

    it('goes through a kill -9 of PostgreSQL on the leader', () =>
      through('kill -9 of PostgreSQL', async () =>
        cluster.signalServer(await cluster.leader(), 'SIGKILL'),
      ));

    it('goes through a kill -9 of Patroni and PostgreSQL on the leader', () =>
      through('kill -9 of Patroni and PostgreSQL', async () => {
        const leader = await cluster.leader();
        cluster.signalPatroni(leader, 'SIGKILL');
        cluster.signalServer(leader, 'SIGKILL');
        while ((await cluster.leader()).name === leader.name) await delay(100);
        cluster.startNode(leader);
      }));

    it('goes through a leader that is suspended until another one leads, and then resumed', () =>
      through('leader stands still', async () => {
        const leader = await cluster.leader();
        cluster.signalPatroni(leader, 'SIGSTOP');
        cluster.signalServer(leader, 'SIGSTOP', true);
        while ((await cluster.leader()).name === leader.name) await delay(100);
        while ((await ready()) !== 200) await delay(50);
        cluster.signalServer(leader, 'SIGCONT', true);
        cluster.signalPatroni(leader, 'SIGCONT');
      }));

    it('loses nothing acknowledged and does nothing twice', async () => {
      await fleet.stop();
      expect([fleet.complaints, fleet.failures]).to.deep.equal([[], []]);
      await fleet.verify(service.url);
      expect(service.stderr()).to.not.include('older than it was');
    });
  });
}
