import {expect} from 'chai';
import {settingsDirectory} from '../../support/settings-directory.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('config path', () => {
  const at = temporaryDirectory();
  const {path, run} = settingsDirectory(at);

  it('prints the path of the settings file, whether it exists or not', async () => {
    expect((await run('config path')).stdout).to.equal(`${path()}\n`);
    await run('profile set prod --base-url https://one.test');
    expect(JSON.parse((await run('config path --json')).stdout)).to.deep.equal({
      path: path(),
      exists: true,
    });
  });
});
