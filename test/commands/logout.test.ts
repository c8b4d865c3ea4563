import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {organizationKey} from '../support/secrets.js';
import {settingsDirectory} from '../support/settings-directory.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

const key = organizationKey();

describe('logout', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  const {path, settings, run} = settingsDirectory(at);

  it('deletes the key that login saved, and keeps the base URL for the next login', async () => {
    const {url} = await thirdPartyService(json([]));
    await run(`login --base-url ${url}`, {CONNECTORCTL_API_KEY: key});
    const {api_key_file: file} = settings().profiles.default;
    const {code, stdout, stderr} = await run('logout', {CONNECTORCTL_API_KEY: key});
    expect({code, stdout}).to.deep.equal({code: 0, stdout: ''});
    expect(stderr.split('\n')).to.deep.equal([
      'Removed the API key of profile default.',
      'Note: CONNECTORCTL_API_KEY is set in the environment; commands still use that key.',
      'To save another key: connectorctl login --profile default',
      '',
    ]);
    expect(existsSync(file)).to.equal(false);
    expect(settings().profiles).to.deep.equal({default: {base_url: url}});
    const again = await run('logout --json');
    expect(JSON.parse(again.stdout)).to.deep.equal({name: 'default', api_key_file: null});
    expect((await run('logout')).stderr).to.include('Profile default has no API key.\n');
  });

  it("leaves the user's own key file where it is", async () => {
    mkdirSync(at('own'));
    writeFileSync(at('own', 'key'), key);
    await run(`profile set mine --base-url https://one.test --api-key-file ${at('own', 'key')}`);
    const {code, stderr} = await run('logout --profile mine');
    expect(code).to.equal(0);
    expect(stderr).to.equal(
      `Removed the API key of profile mine.\nNote: the key is still in ${at('own', 'key')}, which is your own file.\nTo save another key: connectorctl login --profile mine\n`,
    );
    expect(readFileSync(at('own', 'key'), 'utf8')).to.equal(key);
    expect(settings().profiles).to.deep.equal({mine: {base_url: 'https://one.test'}});
  });

  it('rejects a profile that does not exist, and has a hint when no profile is in use', async () => {
    const without = await run('logout');
    expect(without.code).to.equal(2);
    expect(without.stderr).to.match(/No profile is in use\.\n.*--profile NAME/);
    expect((await run('logout --profile nope')).stderr).to.include('"nope" does not exist');
    expect(existsSync(path())).to.equal(false);
  });
});
