import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {completionScripts} from '../../src/cli/completion/scripts.js';
import {runCommand} from '../support/command/run-command.js';
import {closedPort} from '../support/network/ports.js';
import {isInstalled} from '../support/notice.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';

const nothing = {code: 0, stdout: '', stderr: ''};

describe('connectorctl completion', () => {
  for (const [shell, script] of Object.entries(completionScripts)) {
    it(`prints the script for ${shell}`, async () => {
      expect(await runCommand(['completion', shell])).to.deep.equal({...nothing, stdout: script});
    });
  }

  it('prints a script for Bash in which shellcheck finds no mistake', () => {
    if (!isInstalled('shellcheck')) return;
    const words = ['--shell=bash', join(root, 'completions/connectorctl.bash')];
    expect(spawnSync('shellcheck', words, {encoding: 'utf8'}).stdout).to.equal('');
  });
});

describe('shell completion', () => {
  const at = temporaryDirectory();

  type Env = Readonly<Record<string, string>>;

  const ask = (words: readonly string[], env: Env = {}) =>
    runCommand(['__complete', '--', ...words], {
      XDG_CONFIG_HOME: at(),
      // Long enough for a busy machine.
      CONNECTORCTL_COMPLETION_TIMEOUT: '20s',
      ...env,
    });
  const service = async (response: Respond) => {
    const {url, seen} = await thirdPartyService(response);
    return {url, seen, env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'sesame'}};
  };
  const get = ['connector', 'get', ''];
  const fleet = [
    {id: 'con_1', name: 'web', status: 'online'},
    {id: 2, name: 'a\x1b[2Jb'},
    {id: '$(reboot)', name: 'x'},
    {id: 'con_3'},
  ];
  const offered = 'con_1\tweb (online)\n2\ta\\x1b[2Jb\ncon_3\t\n';

  it('offers connectors with their names, from one page of the list', async () => {
    const {env, seen} = await service(json(fleet));
    expect(await ask(get, env)).to.deep.equal({...nothing, stdout: offered});
    expect(seen.map(({path}) => path)).to.deep.equal(['/api/connectors?limit=1000']);
    expect(seen[0]?.headers.authorization).to.equal('Bearer sesame');
  });

  it('uses the service and the key given on the command line', async () => {
    const {url, seen} = await service(json(fleet));
    const none = await service(json([]));
    writeFileSync(at('key'), 'from-a-file\n');
    const words = ['connector', 'heartbeat', '--base-url', url, `--api-key-file=${at('key')}`];
    const {stdout} = await ask([...words, '--auth-header=X-Key', ''], none.env);
    expect(stdout).to.equal(offered);
    expect(seen[0]?.headers['x-key']).to.equal('from-a-file');
    expect(none.seen).to.deep.equal([]);
  });

  it('offers profiles, and uses the profile given on the command line', async () => {
    const {url, seen} = await service(json(fleet));
    mkdirSync(at('connectorctl'));
    const profile = {base_url: url, api_key: 'of-the-profile'};
    const profiles = {prod: profile, 'bad name': profile, '$(x)': profile};
    const settings = {version: 1, current: null, profiles};
    writeFileSync(at('connectorctl', 'settings.json'), JSON.stringify(settings));
    const {stdout} = await ask(['connector', 'list', '--profile', '']);
    expect(stdout).to.equal(`prod\t${url}\n`);
    expect((await ask(['connector', 'get', '--profile=prod', ''])).stdout).to.equal(offered);
    expect(seen[0]?.headers.authorization).to.equal('Bearer of-the-profile');
  });

  describe('writes nothing', () => {
    for (const [what, change, words] of [
      ['without a key', {CONNECTORCTL_API_KEY: ''}, get],
      ['with an invalid time limit', {CONNECTORCTL_COMPLETION_TIMEOUT: 'x'}, get],
      ['for an unknown profile', {}, ['connector', 'get', '--profile', 'x', '']],
    ] as const) {
      it(`${what}, and sends no request`, async () => {
        const {env, seen} = await service(json(fleet));
        expect(await ask(words, {...env, ...change})).to.deep.equal(nothing);
        expect(seen).to.deep.equal([]);
      });
    }

    it('with a key file that is a named pipe, and does not read the pipe', async () => {
      const {env, seen} = await service(json(fleet));
      execFileSync('mkfifo', [at('key')]);
      const words = ['connector', 'get', '--api-key-file', at('key'), ''];
      expect(await ask(words, {...env, CONNECTORCTL_API_KEY: ''})).to.deep.equal(nothing);
      expect(seen).to.deep.equal([]);
    });

    it('when the service is unavailable, returns an error, closes the connection, or never responds', async () => {
      const env = {CONNECTORCTL_API_KEY: 'sesame', CONNECTORCTL_DEBUG: '1'};
      const away = `http://127.0.0.1:${await closedPort()}`;
      expect(await ask(get, {...env, CONNECTORCTL_BASE_URL: away})).to.deep.equal(nothing);
      const responses: Respond[] = [
        json({error: 'no'}, 401),
        json({error: 'later'}, 503, {'retry-after': '3600'}),
        json('<html>'),
        (_, response) => response.destroy(),
      ];
      for (const response of responses) {
        const {env: own} = await service(response);
        expect(await ask(get, {...env, ...own})).to.deep.equal(nothing);
      }
      const silent = await service(() => {});
      const limit = {CONNECTORCTL_COMPLETION_TIMEOUT: '50ms'};
      expect(await ask(get, {...silent.env, ...limit})).to.deep.equal(nothing);
    });
  });

  it('does not interpret --help or other flags on the completed line as its own', async () => {
    const {stdout} = await ask(['connector', 'list', '--json', '--help', '-o', '']);
    expect(stdout).to.match(/^table\t\nwide\t\n/);
  });
});
