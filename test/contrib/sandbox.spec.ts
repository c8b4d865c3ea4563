import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {startServe} from '../support/child.js';
import {root} from '../support/sources.js';

const runFile = promisify(execFile);

describe('contrib/sandbox/drive.sh', () => {
  it('controls a sandbox with curl alone', async () => {
    const service = await startServe(['--sandbox', '--log-level', 'silent', '--seed', '7']);
    try {
      const script = join(root, 'contrib', 'sandbox', 'drive.sh');
      const {stdout} = await runFile('sh', [script, service.url]);
      expect(stdout).to.match(/\nAll of it was as expected\.\n$/);
    } finally {
      await service.stop('SIGKILL');
    }
  });
});
