import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {eachWithSandbox} from '../support/server/sandbox.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('a key that may only read', () => {
  const at = temporaryDirectory();
  const suite = eachWithSandbox();
  let env: Record<string, string>;

  beforeEach(async () => {
    const {control, url} = suite.sandbox;
    await control('createFleet', {count: 3});
    const {api_key: key} = await control<{api_key: string}>('createKey', {access: 'read'});
    env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: key, XDG_CONFIG_HOME: at()};
  });
  const run = (line: string) => runCommand(line.split(' '), env);

  it('is enough for connector list, get, check and monitor', async () => {
    const {stdout} = await run('connector list --json');
    const [{id}] = JSON.parse(stdout);
    for (const line of [`get ${id}`, 'check', `monitor --once --state ${at('state.json')}`]) {
      expect((await run(`connector ${line}`)).code, line).to.equal(0);
    }
  });

  it('makes token create and connector heartbeat exit 3 and say what to ask the operator for', async () => {
    const {stdout} = await run('connector list --json');
    const [{id}] = JSON.parse(stdout);
    for (const line of ['token create', `connector heartbeat ${id}`]) {
      const {code, stderr} = await run(line);
      expect(code).to.equal(3);
      expect(stderr).to.include('Ask the operator of the service for a key with full access');
      expect(stderr).to.include('connectorctl key create --access full');
    }
  });

  it('is named by login, whoami and doctor', async () => {
    writeFileSync(at('key'), env['CONNECTORCTL_API_KEY'] ?? '', {mode: 0o600});
    const login = await run(`login --api-key-file ${at('key')}`);
    expect(login.stderr).to.include('The service accepts the key, which may only read. Saved');
    expect((await run('whoami')).stdout).to.match(/^access {2,}read$/m);
    expect(JSON.parse((await run('whoami --json')).stdout).api_key).to.include({access: 'read'});
    expect((await run('doctor')).stdout).to.match(
      /^key +the service accepts it; it may only read$/m,
    );
  });
});
