import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {type ChildOptions, runChild, type Service, startService} from '../support/child.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('serve on a JSON file store', () => {
  const at = temporaryDirectory();
  let service: Service | undefined;
  let env: Record<string, string>;

  const start = async (options?: ChildOptions): Promise<Service> => {
    const keyFile = at('key');
    service = await startService(at('store'), ['--bootstrap-key-file', keyFile], options);
    env = {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY_FILE: keyFile};
    return service;
  };

  afterEach(async () => {
    await service?.stop('SIGKILL');
    service = undefined;
  });

  const run = (...argv: string[]) => runChild([...argv, '--json'], {env});
  const json = async (...argv: string[]) => {
    const {code, stdout} = await run(...argv);
    expect(code, stdout).to.equal(0);
    return JSON.parse(stdout);
  };
  const activate = async (name: string) => {
    const {token} = await json('token', 'create');
    return json('connector', 'activate', '--token', token, '--name', name);
  };

  describe('on a failing disk', () => {
    const fault = (call: 'write' | 'datasync') => writeFileSync(at('fault'), call);
    const mend = () => rmSync(at('fault'));
    const options = (): ChildOptions => ({
      env: {
        NODE_OPTIONS: `--require ${join(root, 'test/support/failing-disk.cjs')}`,
        TEST_DISK_FAULT: at('fault'),
      },
    });

    it('refuses writes but serves reads while the disk is full, and recovers without a restart', async () => {
      const {url} = await start(options());
      await activate('before');
      fault('write');
      const refused = await run('token', 'create');
      expect(refused.code).to.equal(7);
      expect(JSON.parse(refused.stdout).error).to.include({status: 507, code: 'store_full'});
      expect((await fetch(`${url}/readyz`)).status).to.equal(503);
      expect(await json('connector', 'list')).to.have.length(1);
      mend();
      await activate('after');
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
      expect(await service?.stop()).to.deep.equal({code: 0, signal: null});
    });

    it('refuses writes after a failed sync until it is restarted, and logs the reason', async () => {
      const {url} = await start(options());
      await activate('before');
      fault('datasync');
      expect((await run('token', 'create', '--retries', '0')).code).to.equal(6);
      mend();
      const refused = await run('token', 'create', '--retries', '0');
      expect(refused.code).to.equal(6);
      expect(JSON.parse(refused.stdout).error).to.include({status: 503, code: 'store_unavailable'});
      expect((await fetch(`${url}/readyz`)).status).to.equal(503);
      expect(await json('connector', 'list')).to.have.length(1);
      await service?.stop();
      expect(service?.stderr())
        .to.include('fsync failed (EIO')
        .and.include('refuses further writes');
      await start();
      await activate('after');
    });
  });
});
