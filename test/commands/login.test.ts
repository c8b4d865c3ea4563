import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {settingsDirectory} from '../support/command/settings-directory.js';
import {openTerminal} from '../support/process/terminal.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {
  json,
  type Respond,
  type ThirdPartyService,
  thirdPartyService,
} from '../support/third-party.js';
import {activationToken, organizationKey} from '../support/values/secrets.js';

const key = organizationKey();

/** A service that accepts one key. */
const accepting =
  (accepted: string): Respond =>
  (request, ...rest) =>
    request.headers.authorization === `Bearer ${accepted}`
      ? json([{id: 'con_1'}])(request, ...rest)
      : json({detail: 'The API key is not accepted', code: 'key_unknown'}, 401)(request, ...rest);

describe('login', () => {
  const at = temporaryDirectory();
  const keys = temporaryDirectory();
  let service: ThirdPartyService;

  beforeEach(async () => {
    service = await thirdPartyService(accepting(key));
  });

  const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCommand(['login', ...words], {XDG_CONFIG_HOME: at(), ...env});
  const withKey = (words: readonly string[] = [], apiKey = key) => {
    writeFileSync(keys('key'), apiKey, {mode: 0o600});
    return run(['--base-url', service.url, '--api-key-file', keys('key'), ...words]);
  };
  const {path, settings} = settingsDirectory(at);
  /** The files that contain a text. */
  const holding = (text: string) =>
    readdirSync(at(), {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file, 'utf8').includes(text));

  it('tests the key, saves it in the settings, and makes the profile current', async () => {
    const {code, stdout, stderr} = await withKey();
    expect({code, stdout}).to.deep.equal({code: 0, stdout: ''});
    expect(stderr.split('\n')).to.deep.equal([
      'The service accepts the key. Saved as profile default, now in use.',
      'Next: connectorctl connector list',
      '',
    ]);
    const profile = {base_url: service.url, api_key: key, auth_header: 'Authorization'};
    expect(settings()).to.deep.equal({
      version: 1,
      current: 'default',
      profiles: {default: profile},
    });
    expect(holding(key)).to.deep.equal([path()]);
    expect(statSync(path()).mode & 0o777).to.equal(0o600);
    const list = await runCommand(['connector', 'list', '-o', 'id'], {XDG_CONFIG_HOME: at()});
    expect(list).to.deep.equal({code: 0, stdout: 'con_1\n', stderr: ''});
  });

  it('saves no key of the environment, which nobody asked for', async () => {
    const env = {CONNECTORCTL_API_KEY: key};
    const {code, stderr} = await run(['--base-url', service.url], env);
    expect(code).to.equal(2);
    expect(stderr).to.include('Missing API key').and.include('Use --api-key-file PATH');
    expect(service.seen).to.deep.equal([]);
    expect(readdirSync(at())).to.deep.equal([]);
  });

  it('saves nothing when the service rejects the key', async () => {
    const refused = await withKey([], organizationKey(2));
    expect(refused).to.deep.include({code: 3, stdout: ''});
    expect(refused.stderr).to.match(
      /^Error: Cannot test the API key: .*The API key is not accepted/,
    );
    expect(readdirSync(at())).to.deep.equal([]);
    const inJson = await withKey(['--json'], organizationKey(2));
    expect(inJson).to.deep.include({code: 3, stderr: ''});
    expect(JSON.parse(inJson.stdout).error.code).to.equal('key_unknown');
    expect(readdirSync(at())).to.deep.equal([]);
  });

  it('replaces the old key only if the service accepts the new one', async () => {
    await withKey(['--profile', 'prod']);
    const before = readFileSync(path(), 'utf8');
    expect((await withKey(['--profile', 'prod'], organizationKey(2))).code).to.equal(3);
    expect(readFileSync(path(), 'utf8')).to.equal(before);
    // The profile has the base URL, so renewing the key does not require --base-url.
    writeFileSync(keys('key'), key);
    const renewed = await run(['--profile', 'prod', '--api-key-file', keys('key')]);
    expect(renewed.code).to.equal(0);
    expect(settings().profiles.prod).to.include({base_url: service.url, api_key: key});
  });

  it('saves a key of another service that begins with ck_ too', async () => {
    const foreign = `ck_${'5e'.repeat(20)}`;
    service = await thirdPartyService(accepting(foreign));
    const {code, stderr} = await withKey([], foreign);
    expect(code, stderr).to.equal(0);
    expect(settings().profiles.default).to.include({base_url: service.url, api_key: foreign});
  });

  const mistyped = key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const nowhere = ['--base-url', 'http://127.0.0.1:1'];
  for (const [what, words, apiKey, said] of [
    ['a missing key', nowhere, '', '--api-key-file PATH'],
    ['a missing base URL', [], key, '--base-url URL'],
    ['an invalid profile name', ['--profile', '../a'], key, 'is not a valid profile name'],
    ['a mistyped key', nowhere, mistyped, 'The API key is mistyped.'],
    ['an activation token', nowhere, activationToken(), 'That is an activation token, not an API'],
  ] as const) {
    it(`rejects ${what} before sending a request`, async () => {
      writeFileSync(keys('key'), apiKey, {mode: 0o600});
      const given = apiKey === '' ? [] : ['--api-key-file', keys('key')];
      const refused = await run([...words, ...given]);
      expect(refused).to.deep.include({code: 2, stdout: ''});
      expect(refused.stderr).to.include(said);
      expect(readdirSync(at())).to.deep.equal([]);
    });
  }

  describe('on a terminal', () => {
    const start = (words: readonly string[] = [], env = {}) =>
      openTerminal(['login', ...words], {env: {XDG_CONFIG_HOME: at(), ...env}});

    it('prompts for the URL and the key, without showing the key', async () => {
      const terminal = start();
      await terminal.until(/Base URL of the service.*http:\/\/127\.0\.0\.1:4480/);
      terminal.type('ftp://a\r');
      await terminal.until(/must be http or https/);
      terminal.type(`\x15${service.url}\r`);
      await terminal.until(/API key/);
      terminal.type(`${key}\r`);
      await terminal.until(/The service accepts the key\. Saved as profile default/);
      expect(await terminal.ended).to.include({code: 0});
      expect(terminal.written()).not.to.include(key.slice(0, 12));
      expect(settings().profiles.default.base_url).to.equal(service.url);
      expect(holding(key)).to.have.length(1);
    });

    it('prompts again after a mistyped key, and saves nothing when the service rejects the key', async () => {
      const terminal = start(['--base-url', service.url]);
      await terminal.until(/API key/);
      terminal.type(`${mistyped}\r`);
      await terminal.until(/is mistyped/);
      expect(service.seen).to.deep.equal([]);
      terminal.type(`\x15${organizationKey(9)}\r`);
      await terminal.until(/returned 401/);
      expect(await terminal.ended).to.include({code: 3});
      expect(readdirSync(at())).to.deep.equal([]);
    });
  });
});
