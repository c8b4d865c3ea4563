import {once} from 'node:events';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import {spawnChild, startChild} from '../support/child.js';
import {organizationKey} from '../support/secrets.js';
import {root} from '../support/sources.js';
import {
  closeThirdPartyServices,
  json,
  type Respond,
  thirdPartyService,
} from '../support/third-party-service.js';

const key = organizationKey();

describe('the process of connector check', () => {
  afterEach(closeThirdPartyServices);

  const fleetResponse = json([{id: 'c-1', name: 'web-1', status: 'offline'}]);

  describe('as a monitoring plugin that cannot finish', () => {
    const silent: Respond = () => undefined;
    const start = async (flags: readonly string[], env = {}) => {
      const service = await thirdPartyService(silent);
      const argv = ['connector', 'check', '-o', 'nagios', '--base-url', service.url, ...flags];
      const child = startChild(argv, {env: {CONNECTORCTL_API_KEY: key, ...env}});
      return {...child, seen: service.seen};
    };

    it('reports UNKNOWN for an uncaught error', async () => {
      const {ended} = await start([], {
        NODE_OPTIONS: `--require "${join(root, 'test/support/uncaught-error.cjs')}"`,
      });
      const {code, stdout} = await ended;
      expect(stdout).to.match(/^CONNECTORS UNKNOWN - /);
      expect(code).to.equal(3);
    });

    it('ends quietly after SIGINT and SIGTERM, during a request and between two polls', async () => {
      const offline = json([{id: 'con_1', name: 'a', status: 'offline'}]);
      const cases = [
        [silent, 'SIGINT', 130],
        [offline, 'SIGINT', 130],
        [silent, 'SIGTERM', 143],
      ] as const;
      for (const [respond, signal, exitCode] of cases) {
        const {url, seen} = await thirdPartyService(respond);
        const argv = ['connector', 'check', '--wait-timeout', '60s', '--base-url', url];
        const {process: child, ended} = startChild(argv, {env: {CONNECTORCTL_API_KEY: key}});
        while (seen.length === 0) await setImmediate();
        child.kill(signal);
        const {code, stdout, stderr} = await ended;
        expect({code, stdout, stderr}).to.deep.equal({code: exitCode, stdout: '', stderr: ''});
      }
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`reports UNKNOWN after ${signal}`, async () => {
        const {process: child, ended, seen} = await start([]);
        while (seen.length === 0) await setImmediate();
        child.kill(signal);
        const {code, stdout} = await ended;
        expect(stdout).to.match(/^CONNECTORS UNKNOWN - /);
        expect(code).to.equal(3);
      });
    }

    it('reports errors as JSON with --json, which beats -o', async () => {
      const {code, stdout} = await (await start(['--json', '--min-online', 'x'])).ended;
      expect(JSON.parse(stdout).error).to.include({kind: 'usage', exit_code: 2});
      expect(code).to.equal(2);
    });
  });

  describe('with a reader that has closed the pipe', () => {
    const cases: Record<string, readonly [Respond, string, number]> = {
      'exits 9 when a rule fails': [fleetResponse, 'text', 9],
      'exits 9 when a rule fails, as JSON': [fleetResponse, 'json', 9],
      'exits 2 as a monitoring plugin when a rule fails': [fleetResponse, 'nagios', 2],
      'exits 2 as a monitoring plugin on 503': [json({}, 503), 'nagios', 2],
      'exits 3 as JUnit on 401': [json({}, 401), 'junit', 3],
    };
    for (const [what, [response, format, expected]] of Object.entries(cases)) {
      it(what, async () => {
        const {url} = await thirdPartyService(response);
        const argv = ['connector', 'check', '-o', format, '--base-url', url, '--retries', '0'];
        const child = spawnChild(argv, {env: {CONNECTORCTL_API_KEY: key}});
        child.stdout?.destroy();
        const [code] = await once(child, 'exit');
        expect(code).to.equal(expected);
      });
    }
  });
});
