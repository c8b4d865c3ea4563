import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {settingsDirectory} from '../support/command/settings-directory.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';
import {organizationKey} from '../support/values/secrets.js';

const key = organizationKey();

describe('logout', () => {
  const at = temporaryDirectory();

  const {settings, run} = settingsDirectory(at);

  it('removes the key that login saved, and keeps the base URL for the next login', async () => {
    const {url} = await thirdPartyService(json([]));
    writeFileSync(at('key'), key, {mode: 0o600});
    await run(`login --base-url ${url} --api-key-file ${at('key')}`);
    const {code, stdout, stderr} = await run('logout', {CONNECTORCTL_API_KEY: key});
    expect({code, stdout}).to.deep.equal({code: 0, stdout: ''});
    expect(stderr.split('\n')).to.deep.equal([
      'Removed the API key of profile default.',
      'Note: CONNECTORCTL_API_KEY is set in the environment; commands still use that key.',
      'To save another key: connectorctl login --profile default',
      '',
    ]);
    expect(settings().profiles).to.deep.equal({
      default: {base_url: url, auth_header: 'Authorization'},
    });
    const again = await run('logout --json');
    expect(JSON.parse(again.stdout)).to.deep.equal({name: 'default', removed: false});
    expect((await run('logout')).stderr).to.include('Profile default has no API key.\n');
  });
});
