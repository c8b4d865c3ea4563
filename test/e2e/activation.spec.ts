import {readdirSync, readFileSync} from 'node:fs';
import {expect} from 'chai';
import {runChild, startChild} from '../support/child.js';
import {activationToken, connectorKey} from '../support/secrets.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

describe('activation under failures', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');
  const activate = ['connector', 'activate', '--name', 'web-1'];

  afterEach(closeThirdPartyServices);

  describe('when interrupted while it waits for the response', () => {
    /** Starts an activation, and sends it a signal once the service has its request. */
    const interrupt = async (words: readonly string[], signal: NodeJS.Signals) => {
      let arrived: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const service = await thirdPartyService((request, response, index) => {
        if (index === 0) arrived();
        else json({id: 'con_1', api_key: connectorKey()}, 201)(request, response, index);
      });
      const env = {
        CONNECTORCTL_BASE_URL: service.url,
        CONNECTORCTL_ACTIVATION_TOKEN: activationToken(),
      };
      const command = startChild([...activate, ...words], {env});
      await asked;
      command.process.kill(signal);
      return {run: await command.ended, env, seen: service.seen};
    };

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`reports on ${signal} that the token may have been used`, async () => {
        const {run} = await interrupt([], signal);
        expect(run).to.deep.equal({
          code: signal === 'SIGINT' ? 130 : 143,
          stdout: '',
          stderr:
            'Error: Cannot activate the connector: canceled\n' +
            '  The connector may be activated nevertheless, and its credential is then lost. With --credentials-file PATH the same command would finish the activation. Look for the connector with: connectorctl connector list\n',
        });
      });
    }

    it('completes when the same command runs again with --credentials-file', async () => {
      const into = ['--credentials-file', file()];
      const {run, env, seen} = await interrupt(into, 'SIGINT');
      expect(run).to.deep.include({code: 130, stdout: ''});
      expect(run.stderr).to.include('To finish, run the same command again');
      expect((await runChild([...activate, ...into], {env})).code).to.equal(0);
      expect(JSON.parse(readFileSync(file(), 'utf8')).api_key).to.equal(connectorKey());
      expect(new Set(seen.map(({headers}) => headers['idempotency-key'])).size).to.equal(1);
      expect(readdirSync(at())).to.deep.equal(['web-1.json']);
    });
  });
});
