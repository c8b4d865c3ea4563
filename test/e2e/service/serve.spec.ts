import {join} from 'node:path';
import {expect} from 'chai';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('serve as a child process', () => {
  const at = temporaryDirectory();
  let service: Service;

  it('ignores a Kubernetes CONNECTORCTL_PORT with a warning, but refuses any other invalid port', async () => {
    const link = 'tcp://10.96.0.12:4480';
    service = await startService(at('store'), [], {env: {CONNECTORCTL_PORT: link}});
    expect(service.stderr()).to.include(`Warning: ignoring CONNECTORCTL_PORT=${link}`);
    const run = await runChild(['serve'], {env: {CONNECTORCTL_PORT: 'http'}});
    expect(run).to.include({code: 2, stdout: ''});
    expect(run.stderr).to.include('CONNECTORCTL_PORT "http" is not valid.');
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
    const NODE_OPTIONS = `--require "${join(root, 'test/support/preload/full-log.cjs')}"`;
    service = await startService(at('store'), [], {env: {NODE_OPTIONS}});
    await requestMany();
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });
});
