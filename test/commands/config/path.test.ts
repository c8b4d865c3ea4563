import {expect} from 'chai';
import {runCommand} from '../../support/run-command.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('config path', () => {
  const at = temporaryDirectory();
  const path = () => at('connectorctl', 'settings.json');
  const run = (line: string) => runCommand(line.split(' '), {XDG_CONFIG_HOME: at()});

  it('prints the path of the settings file, whether it exists or not', async () => {
    expect((await run('config path')).stdout).to.equal(`${path()}\n`);
    await run('profile set prod --base-url https://one.test');
    expect(JSON.parse((await run('config path --json')).stdout)).to.deep.equal({
      path: path(),
      exists: true,
    });
  });
});
