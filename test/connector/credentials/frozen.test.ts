import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runCli} from '../../support/command/run-cli.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {activationToken} from '../../support/values/secrets.js';

const sample = (name: string) => readFileSync(join(import.meta.dirname, 'frozen', name), 'utf8');

describe('a file of an earlier build', () => {
  const at = temporaryDirectory();

  /** Copies a sample, for a service with another base URL. */
  const copy = (name: string, url: string) =>
    writeFileSync(at(name), sample(name).replace('http://127.0.0.1:18931', url), {mode: 0o600});

  it('with credentials sends the heartbeats of its connector', async () => {
    const {connector_id: id, api_key: key} = JSON.parse(sample('web-1.json'));
    const {url, seen} = await thirdPartyService(json({id, status: 'online'}));
    copy('web-1.json', url);
    const argv = ['connector', 'heartbeat', '--credentials-file', at('web-1.json')];
    const {code, stderr} = await runCli(argv, {home: at()});
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(seen[0]?.path).to.equal(`/api/connectors/${id}/heartbeat`);
    expect(seen[0]?.headers.authorization).to.equal(`Bearer ${key}`);
  });

  it('of an unfinished activation is finished with the same Idempotency-Key', async () => {
    const response = {id: 'con_1', name: 'web-2', api_key: 'a-key'};
    const {url, seen} = await thirdPartyService(json(response, 201));
    copy('web-2.json.pending', url);
    const argv = ['--base-url', url, '--credentials-file', at('web-2.json')];
    const {code, stderr} = await runCli(['connector', 'activate', ...argv], {home: at()});
    expect(code, stderr).to.equal(0);
    const {idempotency_key: key} = JSON.parse(sample('web-2.json.pending'));
    expect(seen.map(({headers}) => headers['idempotency-key'])).to.deep.equal([key]);
    expect(JSON.parse(readFileSync(at('web-2.json'), 'utf8'))).to.include({
      connector_id: 'con_1',
      api_key: 'a-key',
    });
    expect(existsSync(at('web-2.json.pending'))).to.equal(false);
  });

  for (const version of ['0', '2', '99', '"2"', '-1', '1.5']) {
    it(`is refused and not changed when it states version ${version}, as one of a later build will`, async () => {
      const {url, seen} = await thirdPartyService(json({}));
      for (const [name, argv] of [
        ['web-1.json', ['heartbeat']],
        ['web-1.json', ['run']],
        ['web-1.json', ['activate', '--base-url', url, '--name', 'web-1']],
        ['web-2.json.pending', ['activate', '--base-url', url]],
      ] as const) {
        copy(name, url);
        const text = readFileSync(at(name), 'utf8').replace('{', `{"version": ${version},`);
        writeFileSync(at(name), text);
        const path = at(name.replace('.pending', ''));
        const words = ['connector', ...argv, '--credentials-file', path];
        const env = {CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
        const {code, stderr} = await runCli(words, {home: at(), env});
        expect(code, words.join(' ')).to.equal(2);
        expect(stderr).to.include(
          `${at(name)} has format version ${version}, not this build's (1)`,
        );
        expect(readFileSync(at(name), 'utf8')).to.equal(text);
      }
      expect(seen).to.deep.equal([]);
    });
  }
});
