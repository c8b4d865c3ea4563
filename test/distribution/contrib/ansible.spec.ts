import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {isInstalled} from '../../support/notice.js';
import {installProgram, runChild, shownKey, startServe} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

if (isInstalled('ansible-playbook')) {
  describe('contrib/ansible', () => {
    const at = temporaryDirectory();

    it('activates a machine once, changes nothing when it runs again, and shows no secret', async () => {
      const sandbox = await startServe(['--sandbox']);
      writeFileSync(at('key'), await shownKey(sandbox), {mode: 0o600});
      const env = {CONNECTORCTL_BASE_URL: sandbox.url, CONNECTORCTL_API_KEY_FILE: at('key')};
      const identity = at('identity', 'connector.json');
      mkdirSync(at('bin'));
      installProgram(at('bin'));
      const hosts = {'web-1': {ansible_connection: 'local', ansible_become: false}};
      const vars = {connector_base_url: sandbox.url, connector_identity: identity};
      writeFileSync(at('inventory.json'), JSON.stringify({connectors: {hosts, vars}}));

      const play = async (...flags: string[]) => {
        const site = join(root, 'contrib', 'ansible', 'site.yml');
        const child = spawn(
          'ansible-playbook',
          ['-v', '-i', at('inventory.json'), ...flags, site],
          {
            env: {
              ...env,
              HOME: at(),
              PATH: `${at('bin')}:${process.env['PATH']}`,
              LC_ALL: 'C.UTF-8',
            },
            stdio: ['ignore', 'pipe', 'pipe'],
          },
        );
        const [stdout, stderr, [code]] = await Promise.all([
          text(child.stdout),
          text(child.stderr),
          once(child, 'close'),
        ]);
        expect(code, stdout + stderr).to.equal(0);
        expect(stdout + stderr).not.to.match(/(act|ck|cck)_[\w-]{8}/);
        return Number(/changed=(\d+)/.exec(stdout)?.[1]);
      };
      try {
        const first = await play();
        expect(first).to.equal(3);
        const content = readFileSync(identity, 'utf8');
        expect(await play()).to.equal(0);
        expect(readFileSync(identity, 'utf8')).to.equal(content);
        const list = await runChild(['connector', 'list', '--json'], {env});
        const names = JSON.parse(list.stdout).map(({name}: {name: string}) => name);
        expect(names).to.deep.equal(['web-1']);
      } finally {
        await sandbox.stop();
      }
    });
  });
}
