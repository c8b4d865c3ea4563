import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild, type Service, startService} from '../support/child.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('serve as a child process', () => {
  const at = temporaryDirectory();
  let service: Service;

  afterEach(() => service.stop('SIGKILL'));

  it('creates no API key when it cannot listen', async () => {
    service = await startService(at('first'));
    const taken = new URL(service.url).port;
    for (const more of [[], ['--bootstrap-key-file', at('key')]]) {
      const run = await runChild(['serve', '--port', taken, '--store', at('second'), ...more]);
      expect(run).to.include({code: 6, stdout: ''});
      expect(run.stderr).to.include('EADDRINUSE').and.not.include('API_KEY');
    }
    expect(readdirSync(at())).to.have.members(['first', 'second']);
    const {stdout} = await runChild(['key', 'list', '--json', '--store', at('second')]);
    expect(JSON.parse(stdout)).to.deep.equal([]);
  });

  it('ignores a Kubernetes CONNECTORCTL_PORT with a warning, but refuses any other invalid port', async () => {
    const link = 'tcp://10.96.0.12:4480';
    service = await startService(at('store'), [], {env: {CONNECTORCTL_PORT: link}});
    expect(service.stderr()).to.include(`Warning: ignoring CONNECTORCTL_PORT=${link}`);
    const run = await runChild(['serve'], {env: {CONNECTORCTL_PORT: 'http'}});
    expect(run).to.include({code: 2, stdout: ''});
    expect(run.stderr).to.include('CONNECTORCTL_PORT "http" is not valid.');
  });

  it('reports the first API key file once, and at later starts how to create another key', async () => {
    const another = `To create another: connectorctl key create --store ${at('store')}\n`;
    service = await startService(at('store'));
    expect((await service.stop()).code).to.equal(0);
    expect(service.stderr())
      .to.match(/CONNECTORCTL_API_KEY_FILE=\S+first-api-key\n/)
      .and.not.include(another);
    service = await startService(at('store'));
    expect((await service.stop()).code).to.equal(0);
    expect(service.stderr()).to.include(another).and.not.match(/ck_/);
  });

  /** Sends several hundred requests, whose log lines exceed the buffer of the log. */
  const requestMany = async () => {
    for (let count = 0; count < 200; count += 1) {
      expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    }
  };

  it('keeps running when the reader of its output disconnects, and stops normally', async () => {
    service = await startService(at('store'));
    service.process.stdout?.destroy();
    service.process.stderr?.destroy();
    await requestMany();
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });

  it('keeps running when its log is not writable, and stops normally', async () => {
    const NODE_OPTIONS = `--require ${join(root, 'test/support/full-log.cjs')}`;
    service = await startService(at('store'), [], {env: {NODE_OPTIONS}});
    await requestMany();
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });
});
