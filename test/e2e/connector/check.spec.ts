import {join} from 'node:path';
import {expect} from 'chai';
import {startChild} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {type Respond, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';

const key = organizationKey();

describe('the process of connector check', () => {
  describe('as a monitoring plugin that cannot finish', () => {
    const silent: Respond = () => undefined;
    const start = async (flags: readonly string[], env = {}) => {
      const service = await thirdPartyService(silent);
      const argv = ['connector', 'check', '-o', 'nagios', '--base-url', service.url, ...flags];
      const child = startChild(argv, {env: {CONNECTORCTL_API_KEY: key, ...env}});
      return {...child, requested: service.requested};
    };

    it('reports UNKNOWN for an uncaught error', async () => {
      const {ended} = await start([], {
        NODE_OPTIONS: `--require "${join(root, 'test/support/preload/uncaught-error.cjs')}"`,
      });
      const {code, stdout} = await ended;
      expect(stdout).to.match(/^CONNECTORS UNKNOWN - /);
      expect(code).to.equal(3);
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`reports UNKNOWN after ${signal}`, async () => {
        const {process: child, ended, requested} = await start([]);
        await requested();
        child.kill(signal);
        const {code, stdout} = await ended;
        expect(stdout).to.match(/^CONNECTORS UNKNOWN - /);
        expect(code).to.equal(3);
      });
    }
  });
});
