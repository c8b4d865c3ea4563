import {readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runCli} from '../support/command/run-cli.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';
import {activationToken, connectorKey, organizationKey} from '../support/values/secrets.js';

/** The three secrets of a service, in our format and in that of another service. */
const worlds = {
  ours: {key: organizationKey(), token: activationToken(), credential: connectorKey()},
  'of another service': {
    key: 'kf8Gq2-foreign-key',
    token: 'Tz91-foreign-token',
    credential: 'Cx55/foreign+credential==',
  },
};

describe('secrets in files, output and error messages', () => {
  const at = temporaryDirectory();

  /** Every file in the directory of the test that contains a text, with its permissions. */
  const holding = (text: string) =>
    readdirSync(at(), {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text))
      .map((path) => ({path, mode: statSync(path).mode & 0o777}));

  for (const [whose, {key, token, credential}] of Object.entries(worlds)) {
    it(`appear only where they belong: ${whose}`, async () => {
      const connector = {id: 'con_1', name: 'web-1', status: 'online'};
      const responses: Record<string, unknown> = {
        '/api/connectors/create-token': {token, expires_at: '2099-01-01T00:00:00Z'},
        '/api/connectors/activate': {...connector, api_key: credential},
        '/api/connectors': [connector],
        '/api/connectors/con_1': connector,
        '/api/connectors/con_1/heartbeat': {status: 'online'},
      };
      // Errors repeat the secret that they refuse, as those of a careless service would.
      const response: Respond = (request, ...rest) => {
        const body = responses[request.path];
        const said = JSON.stringify([request.headers.authorization, request.body]);
        json(body ?? {message: `no: ${said}`}, body === undefined ? 400 : 200)(request, ...rest);
      };
      const {url} = await thirdPartyService(response);
      const file = at('web-1.json');
      const base = {CONNECTORCTL_DEBUG: '1', CONNECTORCTL_CONNECTOR_NAME: 'web-1'};
      const run = async (words: string, env = {}) =>
        runCli(words.split(' '), {home: at('home'), env: {...base, ...env}});

      writeFileSync(at('key'), key, {mode: 0o600});
      await run(`login --base-url ${url} --api-key-file ${at('key')}`);
      rmSync(at('key'));
      const created = await run('token create');
      expect(created.stdout).to.equal(`${token}\n`);
      const given = {CONNECTORCTL_ACTIVATION_TOKEN: token};
      const later = [
        await run(`connector activate --credentials-file ${file}`, given),
        await run(`connector activate --credentials-file ${file} --json`, given),
        await run(`connector activate --base-url ${url}/nowhere`, given),
        await run(`connector activate --name ${token} --token ${token} --retries x`, given),
        await run(`connector heartbeat --credentials-file ${file}`),
        await run(`doctor --credentials-file ${file} --json`),
        await run('connector list -o wide'),
        await run('connector get con_1 --json'),
        await run('connector get con_2'),
        await run('connector get con_2 --json'),
        await run(`connector list --base-url ${url}/nowhere`, {CONNECTORCTL_API_KEY: key}),
        await run('doctor'),
        await run('profile list --json'),
      ];
      expect(later.map(({code}) => code)).to.deep.equal([0, 0, 2, 2, 0, 0, 0, 0, 2, 2, 2, 0, 0]);
      const written = [created.stderr, ...later.flatMap(({stdout, stderr}) => [stdout, stderr])];
      for (const secret of [key, token, credential]) {
        expect(written.join('\n')).not.to.include(secret);
      }
      const [{path, mode} = {path: '', mode: 0}, ...others] = holding(key);
      expect(path).to.match(/\/home\/\.config\/connectorctl\/settings\.json$/);
      expect({mode, others}).to.deep.equal({mode: 0o600, others: []});
      expect(holding(token)).to.deep.equal([]);
      expect(holding(credential)).to.deep.equal([{path: file, mode: 0o600}]);
    });
  }
});
