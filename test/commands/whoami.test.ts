import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {runCommand} from '../support/run-command.js';
import {organizationKey} from '../support/secrets.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

const key = organizationKey();

describe('whoami, logout, profile show and config path', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  const path = () => at('connectorctl', 'settings.json');
  const profiles = () => JSON.parse(readFileSync(path(), 'utf8')).profiles;
  const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
    runCommand(line.split(' '), {XDG_CONFIG_HOME: at(), ...env});
  const login = async (list: readonly unknown[] = [{id: 'con_1', organization: 'acme'}]) => {
    const service = await thirdPartyService(json(list));
    await run(`login --base-url ${service.url}`, {CONNECTORCTL_API_KEY: key});
    return service.url;
  };

  it('whoami shows the service, the profile, the start of the key and the organization', async () => {
    const url = await login();
    const {code, stdout, stderr} = await run('whoami');
    const {api_key_file: file} = profiles().default;
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(stdout).to.equal(
      `service       ${url} (profile default)
profile       default (in use)
API key       ${key.slice(0, 7)}… in ${file} (profile default)
organization  acme
`,
    );
    expect(JSON.parse((await run('whoami --json')).stdout)).to.deep.equal({
      base_url: url,
      profile: 'default',
      api_key: {prefix: `${key.slice(0, 7)}…`, place: `in ${file}`, from: 'profile default'},
      organization: 'acme',
    });
  });

  it('whoami names the variable of the key, hides all of a short key, and shows an unknown organization as unknown', async () => {
    const {url} = await thirdPartyService(json([]));
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'short-key-of-19-byt'};
    const {code, stdout} = await run('whoami', env);
    expect(code).to.equal(0);
    expect(stdout).to.include('API key       … given (CONNECTORCTL_API_KEY)\n');
    expect(stdout).to.include('organization  unknown\n');
    expect(stdout).to.include('profile       none (none in use)\n');
  });

  it('whoami names the profile in use and the variables that override it', async () => {
    const url = await login();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: key};
    const {code, stdout} = await run('whoami', env);
    expect(code).to.equal(0);
    expect(stdout).to.include(
      'profile       default (in use, but overridden by CONNECTORCTL_BASE_URL and CONNECTORCTL_API_KEY)\n',
    );
    expect(JSON.parse((await run('whoami --json', env)).stdout).profile).to.equal(null);
    const {stderr} = await run('connector list --verbose', env);
    expect(stderr).to.include(
      '* profile: default (in use, but overridden by CONNECTORCTL_BASE_URL',
    );
  });

  it('whoami works without the settings file while variables override it, even when it is broken', async () => {
    const url = await login();
    writeFileSync(path(), '{');
    const {code, stdout} = await run('whoami', {
      CONNECTORCTL_BASE_URL: url,
      CONNECTORCTL_API_KEY: key,
    });
    expect(code).to.equal(0);
    expect(stdout).to.include('profile       unknown (the settings file cannot be read)\n');
  });

  it('whoami exits with the error of the service when it refuses the key, and still shows which key that is', async () => {
    const {url} = await thirdPartyService(json({detail: 'no'}, 401));
    const {code, stdout, stderr} = await run('whoami', {
      CONNECTORCTL_BASE_URL: url,
      CONNECTORCTL_API_KEY: key,
    });
    expect(code).to.equal(3);
    expect(stdout).to.include(`API key       ${key.slice(0, 7)}… given`);
    expect(stdout + stderr).not.to.include(key.slice(0, 12));
  });

  it('logout deletes the key that login saved, and keeps the base URL for the next login', async () => {
    const url = await login();
    const {api_key_file: file} = profiles().default;
    const {code, stdout, stderr} = await run('logout', {CONNECTORCTL_API_KEY: key});
    expect({code, stdout}).to.deep.equal({code: 0, stdout: ''});
    expect(stderr.split('\n')).to.deep.equal([
      'Removed the API key of profile default.',
      'Note: CONNECTORCTL_API_KEY is set in the environment; commands still use that key.',
      '',
    ]);
    expect(existsSync(file)).to.equal(false);
    expect(profiles()).to.deep.equal({default: {base_url: url}});
    const again = await run('logout --json');
    expect(JSON.parse(again.stdout)).to.deep.equal({name: 'default', api_key_file: null});
    expect((await run('logout')).stderr).to.equal('Profile default has no API key.\n');
  });

  it("logout leaves the user's own key file where it is", async () => {
    mkdirSync(at('own'));
    writeFileSync(at('own', 'key'), key);
    await run(`profile set mine --base-url https://one.test --api-key-file ${at('own', 'key')}`);
    const {code, stderr} = await run('logout --profile mine');
    expect(code).to.equal(0);
    expect(stderr).to.equal(
      `Removed the API key of profile mine.\nNote: the key is still in ${at('own', 'key')}, which is your own file.\n`,
    );
    expect(readFileSync(at('own', 'key'), 'utf8')).to.equal(key);
    expect(profiles()).to.deep.equal({mine: {base_url: 'https://one.test'}});
  });

  it('logout rejects a profile that does not exist, and has a hint when no profile is in use', async () => {
    const without = await run('logout');
    expect(without.code).to.equal(2);
    expect(without.stderr).to.match(/No profile is in use\.\n.*--profile NAME/);
    expect((await run('logout --profile nope')).stderr).to.include('"nope" does not exist');
    expect(existsSync(path())).to.equal(false);
  });

  it('profile show shows the fields of one profile, and a key file that does not exist', async () => {
    await run('profile set prod --base-url https://one.test --api-key-file /no/key');
    await run('profile set test --base-url https://two.test --auth-header X-Key');
    expect((await run('profile show prod')).stdout).to.equal(
      `name          prod
in use        yes
base URL      https://one.test
API key file  /no/key (does not exist)
`,
    );
    expect(JSON.parse((await run('profile show test --json')).stdout)).to.deep.equal({
      name: 'test',
      current: false,
      base_url: 'https://two.test',
      auth_header: 'X-Key',
    });
    const {code, stderr} = await run('profile show nope');
    expect({code, stderr: stderr.split('\n')[0]}).to.deep.equal({
      code: 2,
      stderr: 'Error: Profile "nope" does not exist.',
    });
  });

  it('config path prints the path of the settings file, whether it exists or not', async () => {
    expect((await run('config path')).stdout).to.equal(`${path()}\n`);
    await run('profile set prod --base-url https://one.test');
    expect(JSON.parse((await run('config path --json')).stdout)).to.deep.equal({
      path: path(),
      exists: true,
    });
  });
});
