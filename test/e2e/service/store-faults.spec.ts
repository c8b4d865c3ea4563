import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {firstKeyFile, runChild, startService} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('serve on a JSON file store', () => {
  const at = temporaryDirectory();
  let env: Record<string, string>;

  const run = (...argv: string[]) => runChild([...argv, '--json'], {env});
  const json = async (...argv: string[]) => {
    const {code, stdout} = await run(...argv);
    expect(code, stdout).to.equal(0);
    return JSON.parse(stdout);
  };
  const activate = async (name: string) => {
    const {token} = await json('token', 'create');
    writeFileSync(at('token'), token, {mode: 0o600});
    return json('connector', 'activate', '--token-file', at('token'), '--name', name);
  };

  it('refuses writes but serves reads while the disk is full, and recovers without a restart', async () => {
    const NODE_OPTIONS = `--require "${join(root, 'test/support/preload/failing-disk.cjs')}"`;
    const options = {env: {NODE_OPTIONS, TEST_DISK_FAULT: at('fault')}};
    const service = await startService(at('store'), [], options);
    const {url} = service;
    env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY_FILE: await firstKeyFile(service)};
    await activate('before');
    writeFileSync(at('fault'), '');
    const refused = await run('token', 'create');
    expect(refused.code).to.equal(7);
    expect(JSON.parse(refused.stdout).error).to.include({status: 507, code: 'store_full'});
    expect((await fetch(`${url}/readyz`)).status).to.equal(507);
    expect(await json('connector', 'list')).to.have.length(1);
    rmSync(at('fault'));
    await activate('after');
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });
});
