import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild, runScript, shownKey, startServe} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith} from '../installed.js';

describeWith(['ansible'], 'contrib/ansible', () => {
  const at = temporaryDirectory();

  it('activates a machine once, changes nothing when it runs again, and shows no secret', async () => {
    const sandbox = await startServe(['--sandbox']);
    writeFileSync(at('key'), await shownKey(sandbox), {mode: 0o600});
    const env = {CONNECTORCTL_BASE_URL: sandbox.url, CONNECTORCTL_API_KEY_FILE: at('key')};
    const identity = at('identity', 'connector.json');
    const hosts = {'web-1': {ansible_connection: 'local', ansible_become: false}};
    const vars = {connector_base_url: sandbox.url, connector_identity: identity};
    writeFileSync(at('inventory.json'), JSON.stringify({connectors: {hosts, vars}}));

    const play = async () => {
      const site = join(root, 'contrib', 'ansible', 'site.yml');
      const line = 'exec ansible-playbook -v -i inventory.json "$0"';
      const {code, stdout, stderr} = await runScript(['-c', line, site], {
        directory: at(),
        env: {...env, LC_ALL: 'C.UTF-8'},
      });
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout + stderr).not.to.match(/(act|ck|cck)_[\w-]{8}/);
      return Number(/changed=(\d+)/.exec(stdout)?.[1]);
    };
    expect(await play()).to.equal(3);
    const content = readFileSync(identity, 'utf8');
    expect(await play()).to.equal(0);
    expect(readFileSync(identity, 'utf8')).to.equal(content);
    const list = await runChild(['connector', 'list', '--json'], {env});
    const names = JSON.parse(list.stdout).map(({name}: {name: string}) => name);
    expect(names).to.deep.equal(['web-1']);
  });
});
