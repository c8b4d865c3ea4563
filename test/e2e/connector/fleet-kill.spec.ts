import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import {tcpProxy} from '../../support/network/tcp-service.js';
import {makeTestDatabase} from '../../support/postgres/database.js';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {liveChild} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const machines = 200;

/** Machines that a run may activate before it is killed. */
const activations = {min: 8, max: 40};

/** The location of a new store of each kind. */
const stores: Readonly<Record<string, (directory: string) => Promise<string>>> = {
  'a JSON file store': async (directory) => join(directory, 'store'),
  PostgreSQL: async () => (await makeTestDatabase()).url,
};

describe('connector enroll that is killed (SIGKILL) and run again', () => {
  const at = temporaryDirectory();

  for (const [name, open] of Object.entries(stores)) {
    it(`activates each of ${machines} machines exactly once with ${name}`, async function () {
      this.timeout(360_000);
      const store = await open(at());
      const service: Service = await startService(store, ['--log-level', 'silent']);
      const created = await runChild(['key', 'create', '--store', store]);
      // The requests pass through this process, so that a run gets no further while this process is busy.
      const proxy = await tcpProxy(() => Number(new URL(service.url).port));
      const url = `http://127.0.0.1:${proxy.port}`;
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: created.stdout.trim()};
      const names = Array.from({length: machines}, (_, index) => `m-${index}`);
      writeFileSync(at('machines.csv'), `name\n${names.join('\n')}\n`);
      mkdirSync(at('out'));
      const argv = [
        ...['connector', 'enroll', at('machines.csv'), '--credentials-dir', at('out')],
        ...['--parallel', '8'],
      ];
      let killed = 0;
      for (;;) {
        const command = liveChild(argv, {env});
        const {min, max} = activations;
        const wanted = min + Math.floor(Math.random() * (max - min));
        const done = () => readdirSync(at('out')).filter((file) => file.endsWith('.json')).length;
        const goal = done() + wanted;
        const ended = command.ended();
        let isOver = false;
        void ended.then(() => (isOver = true));
        while (!isOver && done() < goal) await setImmediate();
        command.signal('SIGKILL');
        const {code, signal} = await ended;
        if (code === 0) break;
        expect(signal, command.stderr()).to.equal('SIGKILL');
        killed += 1;
      }
      expect(killed).to.be.above(2);
      const listed = await runChild(['connector', 'list', '--json'], {env});
      const connectors: {id: string; name: string}[] = JSON.parse(listed.stdout);
      expect(connectors.map((connector) => connector.name).sort()).to.deep.equal(names.sort());
      expect(readdirSync(at('out')).sort()).to.deep.equal(names.map((one) => `${one}.json`).sort());
      const ids = new Set<string>();
      for (const one of names) {
        const {connector_id: id, api_key: own} = JSON.parse(
          readFileSync(at('out', `${one}.json`), 'utf8'),
        );
        const response = await fetch(`${service.url}/api/connectors/${id}/heartbeat`, {
          method: 'POST',
          headers: {authorization: `Bearer ${own}`},
        });
        expect(response.status).to.equal(200);
        ids.add(id);
      }
      expect(ids.size).to.equal(machines);
    });
  }
});
