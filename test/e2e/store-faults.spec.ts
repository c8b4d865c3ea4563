import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {expect} from 'chai';
import {type ChildOptions, runChild, type Service, startService} from '../support/child.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

/** Drops the capability with which root ignores file permissions. */
const asAnyUser =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];

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

  /** Activates connectors one by one until the service ends, and reports the name of each that succeeded. */
  const activateUntilKilled = async (
    worker: string,
    activated: (name: string) => void,
  ): Promise<void> => {
    const headers = {
      authorization: `Bearer ${readFileSync(at('key'), 'utf8').trim()}`,
      'content-type': 'application/json',
    };
    const post = async (operation: string, body: object) => {
      const url = `${env['CONNECTORCTL_BASE_URL']}/api/connectors/${operation}`;
      const response = await fetch(url, {method: 'POST', headers, body: JSON.stringify(body)});
      const {token = ''} = (await response.json()) as {token?: string};
      return {status: response.status, token};
    };
    try {
      for (let count = 0; ; count += 1) {
        const name = `${worker}-${count}`;
        const {token} = await post('create-token', {});
        if ((await post('activate', {token, name})).status === 201) activated(name);
      }
    } catch {
      // No response, so the service has acknowledged nothing.
    }
  };

  it('restarts immediately after kill -9 with every acknowledged activation', async function () {
    this.timeout(180_000);
    const activated: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const killed = await start();
      const enough = activated.length + 50;
      const workers = Array.from({length: 16}, (_, worker) =>
        activateUntilKilled(`${round}-${worker}`, (name) => {
          activated.push(name);
          if (activated.length === enough) killed.process.kill('SIGKILL');
        }),
      );
      await Promise.all(workers);
      await killed.stop('SIGKILL');
    }
    await start();
    const names = (await json('connector', 'list')).map(({name}: {name: string}) => name);
    expect(names).to.include.members(activated);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('refuses to start a second process, and names the pid of the first', async () => {
    const first = await start();
    const second = await runChild(['serve', '--port', '0', '--store', at('store')]);
    expect(second).to.include({code: 6, stdout: ''});
    expect(second.stderr).to.include(`${at('store')} is in use by process ${first.process.pid};`);
    expect(await activate('web-1')).to.include({name: 'web-1'});
  });

  const refusals: Record<string, {prepare: () => void; says: () => string}> = {
    'a path that is a file': {
      prepare: () => writeFileSync(at('store'), 'mine'),
      says: () => `${at('store')} is a file; a JSON file store is a directory.`,
    },
    'a directory that is read-only': {
      prepare: () => mkdirSync(at('store'), {mode: 0o555}),
      says: () => `${at('store')} cannot be opened: EACCES`,
    },
    'a store of a newer format': {
      prepare: () => {
        mkdirSync(at('store'));
        const newer = '{"format":"connectorctl json store","version":2}\n';
        writeFileSync(at('store', 'store.json'), newer);
      },
      says: () => `${at('store', 'store.json')}: format version 2 is newer than this build's (1)`,
    },
  };
  for (const [name, {prepare, says}] of Object.entries(refusals)) {
    it(`refuses ${name} and leaves it unchanged`, async () => {
      prepare();
      const options = {under: asAnyUser};
      const {code, stdout, stderr} = await runChild(['serve', '--store', at('store')], options);
      expect({code, stdout}, stderr).to.deep.equal({code: 2, stdout: ''});
      expect(stderr).to.include(says());
      const directory = name.includes('file') ? [] : readdirSync(at('store'));
      expect(directory).to.deep.equal(name.includes('newer') ? ['store.json'] : []);
    });
  }

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
