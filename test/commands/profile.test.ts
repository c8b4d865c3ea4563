import {readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {settingsDirectory} from '../support/command/settings-directory.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';
import {organizationKey} from '../support/values/secrets.js';

const prod = 'https://connectors.example/api';
const key = organizationKey();

describe('profile', () => {
  const at = temporaryDirectory();
  const {path, settings, run} = settingsDirectory(at);
  beforeEach(() => writeFileSync(at('key'), 'secret-key\n', {mode: 0o600}));
  const ok = (stdout: string, stderr = '') => ({code: 0, stdout, stderr});

  describe('set', () => {
    it('creates profiles, and makes the first one current', async () => {
      expect(
        await run(
          `profile set prod --base-url ${prod}/ --api-key-file ${at('key')} --auth-header X-Key`,
        ),
      ).to.deep.equal(ok('', 'Saved profile prod, which is in use.\n'));
      expect(await run('profile set test --base-url http://127.0.0.1:4480')).to.deep.equal(
        ok('', 'Saved profile test.\n'),
      );
      expect(settings()).to.deep.equal({
        version: 1,
        current: 'prod',
        profiles: {
          prod: {base_url: prod, api_key: 'secret-key', auth_header: 'X-Key'},
          test: {base_url: 'http://127.0.0.1:4480'},
        },
      });
    });

    it('changes only the given fields of a profile', async () => {
      await run(`profile set prod --base-url ${prod} --api-key-file ${at('key')}`);
      const {code, stdout, stderr} = await run('profile set prod --auth-header X-Key --json');
      expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
      expect(JSON.parse(stdout)).to.deep.equal({
        name: 'prod',
        base_url: prod,
        auth_header: 'X-Key',
        has_api_key: true,
      });
      expect(settings().profiles.prod).to.deep.equal({
        base_url: prod,
        api_key: 'secret-key',
        auth_header: 'X-Key',
      });
    });

    it('rejects a new base URL that would send the existing key to another service', async () => {
      await run(`profile set prod --base-url ${prod} --api-key-file ${at('key')}`);
      const before = readFileSync(path(), 'utf8');
      const refused = await run('profile set prod --base-url https://other.example');
      expect(refused).to.deep.include({code: 2, stdout: ''});
      expect(refused.stderr).to.include(`The API key of profile prod is only for ${prod}.`);
      expect(refused.stderr).to.include(
        'connectorctl login --profile prod --base-url https://other.example',
      );
      expect(readFileSync(path(), 'utf8')).to.equal(before);
      expect((await run(`profile set prod --base-url ${prod}//`)).code).to.equal(0);
      const both = `profile set prod --base-url https://other.example --api-key-file ${at('key')}`;
      expect((await run(both)).code).to.equal(0);
      expect(settings().profiles.prod).to.deep.equal({
        base_url: 'https://other.example',
        api_key: 'secret-key',
      });
    });

    it('saves nothing that only the environment says', async () => {
      const env = {CONNECTORCTL_AUTH_HEADER: 'X-Env', CONNECTORCTL_API_KEY_FILE: at('key')};
      expect((await run(`profile set prod --base-url ${prod}`, env)).code).to.equal(0);
      expect(settings().profiles.prod).to.deep.equal({base_url: prod});
    });

    for (const [what, words, said] of [
      [
        'a header that is no name',
        `prod --base-url ${prod} --auth-header X:Key`,
        'must be an HTTP header name',
      ],
      ['a new profile without a base URL', 'prod', 'is new and needs a base URL.'],
      ['a name that is a path', `../prod --base-url ${prod}`, 'is not a valid profile name'],
      ['a key as the name', `${key} --base-url ${prod}`, 'That is an API key, not'],
      [
        'a key as a path',
        `prod --api-key-file ${key}`,
        'That is an API key, not the path of a file',
      ],
    ] as const) {
      it(`rejects ${what}`, async () => {
        const refused = await run(`profile set ${words}`);
        expect(refused).to.deep.include({code: 2, stdout: ''});
        expect(refused.stderr).to.include(said).and.not.include(key);
        expect(() => settings()).to.throw(/ENOENT/);
      });
    }
  });

  describe('list', () => {
    it('shows all profiles and which one is in use', async () => {
      await run(`profile set prod --base-url ${prod} --api-key-file ${at('key')}`);
      await run('profile set test --base-url http://127.0.0.1:4480');
      expect(await run('profile list')).to.deep.equal(
        ok(
          [
            'NAME  IN USE  BASE URL                        API KEY',
            'prod  yes     https://connectors.example/api  saved',
            'test  -       http://127.0.0.1:4480           -',
            '',
          ].join('\n'),
        ),
      );
      const {stdout} = await run('profile list --json');
      expect(JSON.parse(stdout)).to.deep.equal([
        {name: 'prod', current: true, base_url: prod, has_api_key: true},
        {name: 'test', current: false, base_url: 'http://127.0.0.1:4480', has_api_key: false},
      ]);
    });
  });

  describe('use', () => {
    it('selects the profile that later commands use', async () => {
      const {url, seen} = await thirdPartyService(json([]));
      await run(`profile set prod --base-url ${prod}`);
      await run(`profile set test --base-url ${url}`);
      expect(await run('profile use test')).to.deep.equal(ok('', 'Using profile test.\n'));
      expect((await run('connector list --json')).stdout).to.equal('[]\n');
      expect(seen).to.have.length(1);
      expect(await run('profile use prod --json')).to.deep.equal(ok('{\n  "current": "prod"\n}\n'));
    });

    it('rejects a profile that does not exist', async () => {
      const refused = await run('profile use nosuch');
      expect(refused).to.deep.include({code: 2, stdout: ''});
      expect(refused.stderr).to.include('Profile "nosuch" does not exist.');
      expect((await run('connector list --profile nosuch')).stderr).to.equal(refused.stderr);
    });
  });

  describe('remove', () => {
    it('deletes a profile, and leaves no profile in use if it was the current one', async () => {
      await run(`profile set prod --base-url ${prod}`);
      await run(`profile set test --base-url ${prod}`);
      expect(await run('profile remove prod')).to.deep.equal(
        ok(
          '',
          'Removed profile prod.\nNo profile is in use now. Choose one with: connectorctl profile use NAME\n',
        ),
      );
      expect(settings()).to.deep.equal({
        version: 1,
        current: null,
        profiles: {test: {base_url: prod}},
      });
      expect(await run('profile remove test --json')).to.deep.equal(
        ok('{\n  "removed": "test"\n}\n'),
      );
      expect((await run('profile remove test')).code).to.equal(2);
      await run(`profile set last --base-url ${prod}`);
      expect(await run('profile remove last')).to.deep.equal(ok('', 'Removed profile last.\n'));
    });
  });
});

describe('the API key of a profile', () => {
  const at = temporaryDirectory();

  it('is sent only to the service of the profile, even if a flag or variable names another service', async () => {
    const own = await thirdPartyService(json([]));
    const other = await thirdPartyService(json([]));
    writeFileSync(at('key'), 'secret-key', {mode: 0o600});
    const home = {XDG_CONFIG_HOME: at()};
    const list = ['connector', 'list', '--json'];
    const profile = ['--api-key-file', at('key'), '--auth-header', 'X-Key'];
    await runCommand(['profile', 'set', 'own', '--base-url', own.url, ...profile], home);
    const keyAt = async (service: typeof own, words: readonly string[], env = {}) => {
      expect((await runCommand([...list, ...words], {...home, ...env})).code).to.equal(0);
      const {headers} = service.seen.at(-1)!;
      expect(headers.authorization).to.equal(undefined);
      return headers['x-key'];
    };

    expect(await keyAt(own, [])).to.equal('secret-key');
    expect(await keyAt(own, ['--base-url', `${own.url}/`])).to.equal('secret-key');
    expect(await keyAt(own, ['--base-url', `${own.url}/prefix`])).to.equal(undefined);
    expect(await keyAt(other, ['--base-url', other.url])).to.equal(undefined);
    expect(await keyAt(other, ['--base-url', other.url, '--profile', 'own'])).to.equal(undefined);
    expect(await keyAt(other, [], {CONNECTORCTL_BASE_URL: other.url})).to.equal(undefined);
    const localhost = own.url.replace('127.0.0.1', 'localhost');
    expect(await keyAt(own, ['--base-url', localhost])).to.equal(undefined);
  });
});
