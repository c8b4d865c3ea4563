import {readdirSync} from 'node:fs';
import {expect} from 'chai';
import {runChild, type Service, startService} from '../support/child.js';
import {temporaryFolder} from '../support/temporary-folder.js';

describe('serve, by child processes', () => {
  const at = temporaryFolder();
  let service: Service;

  afterEach(() => service.stop('SIGKILL'));

  it('makes no API key when it cannot listen', async () => {
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

  it('shows the first key once, and later how to make another', async () => {
    const another = `For another: connectorctl key create --store ${at('store')}\n`;
    service = await startService(at('store'));
    expect((await service.stop()).code).to.equal(0);
    expect(service.stderr())
      .to.match(/CONNECTORCTL_API_KEY=ck_/)
      .and.not.include(another);
    service = await startService(at('store'));
    expect((await service.stop()).code).to.equal(0);
    expect(service.stderr()).to.include(another).and.not.match(/ck_/);
  });
});
