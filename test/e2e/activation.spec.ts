import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import type {SandboxTokens} from '../../src/contract/sandbox.js';
import {runChild, startChild} from '../support/child.js';
import {activationToken, connectorKey} from '../support/secrets.js';
import {json as bodyOf, eachWithSandbox} from '../support/server/sandbox.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

describe('activation under failures', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');
  const activate = ['connector', 'activate', '--name', 'web-1'];

  afterEach(closeThirdPartyServices);

  describe('when the response is lost', () => {
    const running = eachWithSandbox();

    /** Adds a fault, and returns the environment of an activation. */
    const lose = async (effect: string) => {
      const {control, url} = running.sandbox;
      await control('addFault', {spec: `activate:${effect}@#1`});
      const {usable} = await control<SandboxTokens>('createTokens');
      return {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: usable};
    };

    /** The connectors that a token other than `used` has activated. */
    const connectors = async () =>
      ((await bodyOf(running.sandbox.call('list'))) as {id: string; name: string}[]).filter(
        ({name}) => name === 'web-1',
      );

    it('completes when the same command runs again after kill -9', async () => {
      const env = await lose('slow-body=1h');
      const into = [...activate, '--credentials-file', file()];
      const first = startChild(into, {env});
      while ((await connectors()).length === 0);
      first.process.kill('SIGKILL');
      await first.ended;
      expect(readdirSync(at())).to.include('web-1.json.pending').and.not.include('web-1.json');

      const second = await runChild(into, {env});
      expect(second.code, second.stderr).to.equal(0);
      const credentials = JSON.parse(readFileSync(file(), 'utf8'));
      expect((await connectors()).map(({id}) => id)).to.deep.equal([credentials.connector_id]);
      const beat = await runChild(['connector', 'heartbeat', '--credentials-file', file()], {
        env: {CONNECTORCTL_API_KEY: 'not-this-one'},
      });
      expect(beat.code, beat.stderr).to.equal(0);
    });
  });

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

  describe('on a full disk', () => {
    const fullDisk = {
      NODE_OPTIONS: `--require "${join(root, 'test/support/full-disk.cjs')}"`,
      FULL_DISK_ROOM: '0',
    };

    it('sends no request when it cannot save what another run needs', async () => {
      const {url, seen} = await thirdPartyService(json({id: 'con_1', api_key: connectorKey()}));
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
      const into = [...activate, '--credentials-file', file()];
      const run = await runChild(into, {env, under: ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh']});
      expect(run).to.deep.include({code: 2, stdout: ''});
      expect(run.stderr).to.include('file too large (EFBIG). Nothing was sent.');
      expect(seen).to.deep.equal([]);
      expect(readdirSync(at())).to.deep.equal([]);
    });

    it('says that the same command returns the same credentials when it cannot save them, and it does', async () => {
      const hugeKey = connectorKey() + 'x'.repeat(65_536);
      const {url, seen} = await thirdPartyService(json({id: 'con_1', api_key: hugeKey}));
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
      const into = [...activate, '--credentials-file', file()];
      const run = await runChild([...into, '--json'], {env: {...env, ...fullDisk}});
      expect(run).to.deep.include({code: 2, stderr: ''});
      const {message, hint} = JSON.parse(run.stdout).error;
      expect(message).to.include('no space left on device (ENOSPC)');
      expect(hint).to.include('is activated').and.include('run the same command again');
      expect(run.stdout).not.to.include(connectorKey());
      expect(readdirSync(at())).to.deep.equal(['web-1.json.pending']);

      expect((await runChild(into, {env})).code).to.equal(0);
      expect(JSON.parse(readFileSync(file(), 'utf8')).api_key).to.equal(hugeKey);
      const [first, second] = seen.map(({headers}) => headers['idempotency-key']);
      expect(second).to.equal(first);
    });
  });
});
