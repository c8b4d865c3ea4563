import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {settingsDirectory} from '../support/command/settings-directory.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';
import {organizationKey} from '../support/values/secrets.js';

const key = organizationKey();

describe('whoami', () => {
  const at = temporaryDirectory();

  const {path, run} = settingsDirectory(at);
  const login = async (list: readonly unknown[] = [{id: 'con_1', organization: 'acme'}]) => {
    const service = await thirdPartyService(json(list));
    writeFileSync(at('key'), key, {mode: 0o600});
    await run(`login --base-url ${service.url} --api-key-file ${at('key')}`);
    return service.url;
  };

  it('shows the service, the profile, the start of the key and the organization', async () => {
    const url = await login();
    const {code, stdout, stderr} = await run('whoami');
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(stdout).to.equal(
      `service       ${url} (profile default)
profile       default (in use)
API key       ${key.slice(0, 7)}… saved (profile default)
organization  acme
`,
    );
    expect(JSON.parse((await run('whoami --json')).stdout)).to.deep.equal({
      base_url: url,
      profile: 'default',
      api_key: {
        prefix: `${key.slice(0, 7)}…`,
        place: 'saved',
        from: 'profile default',
        access: null,
        expires_at: null,
      },
      organization: 'acme',
    });
  });

  it('names the variable of the key, hides all of a short key, and says why the organization is not known', async () => {
    const {url} = await thirdPartyService(json([]));
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'short-key-of-19-byt'};
    const {code, stdout} = await run('whoami', env);
    expect(code).to.equal(0);
    expect(stdout).to.include('API key       … given (CONNECTORCTL_API_KEY)\n');
    expect(stdout).to.include('organization  not shown before the first connector\n');
    expect(stdout).to.include('profile       none (not used)\n');
  });

  it('says that no profile is used when variables override it', async () => {
    const url = await login();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: key};
    const {code, stdout} = await run('whoami', env);
    expect(code).to.equal(0);
    expect(stdout).to.include('profile       none (not used)\n');
    expect(JSON.parse((await run('whoami --json', env)).stdout).profile).to.equal(null);
    const {stderr} = await run('connector list --debug', env);
    expect(stderr).to.include('* profile: none (not used)\n');
  });

  it('warns of a broken settings file beside a base URL, but needs it for a profile', async () => {
    const url = await login();
    writeFileSync(path(), '{');
    const {code, stderr} = await run(`connector list --base-url ${url}`);
    expect(code).to.equal(0);
    expect(stderr).to.include('Continuing without profiles.');
    for (const line of ['connector list', `connector list --base-url ${url} --profile default`]) {
      expect((await run(line)).code, line).to.equal(2);
    }
  });

  it('exits with the error of the service when it refuses the key, and still shows which key that is', async () => {
    const {url} = await thirdPartyService(json({detail: 'no'}, 401));
    const {code, stdout, stderr} = await run('whoami', {
      CONNECTORCTL_BASE_URL: url,
      CONNECTORCTL_API_KEY: key,
    });
    expect(code).to.equal(3);
    expect(stdout).to.include(`API key       ${key.slice(0, 7)}… given`);
    expect(stdout + stderr).not.to.include(key.slice(0, 12));
  });
});
