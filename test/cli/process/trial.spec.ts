import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {inherited} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {thirdPartyService} from '../../support/third-party.js';

describe('a stream that leaves the abort of its work to the command line', () => {
  /** Runs a command of somebody else, and stops it once it works. */
  async function stopped(work: string, signal: NodeJS.Signals, ...flags: string[]) {
    const {url} = await thirdPartyService(() => undefined);
    const trial = join(root, 'test/support/process/trial/run.ts');
    const env = {...inherited, CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'};
    const argv = ['--import=tsx', trial, 'connector', 'monitor', work, ...flags];
    const child = spawn(process.execPath, argv, {cwd: root, env});
    const stderr = text(child.stderr);
    await once(child.stdout, 'data');
    child.kill(signal);
    return {ended: await once(child, 'close'), stderr: await stderr};
  }

  for (const work of ['request', 'timer', 'reason']) {
    it(`ends as its row says at each signal: ${work}`, async () => {
      const clean = {ended: [0, null], stderr: ''};
      expect(await stopped(work, 'SIGTERM')).to.deep.equal(clean);
      expect(await stopped(work, 'SIGINT', '--json')).to.deep.equal(clean);
      expect(await stopped(work, 'SIGHUP')).to.deep.equal({ended: [null, 'SIGHUP'], stderr: ''});
    });
  }

  it('fails when the work fails in another way after the signal', async () => {
    const {ended, stderr} = await stopped('failure', 'SIGTERM');
    expect(ended).to.deep.equal([1, null]);
    expect(stderr).to.include('The disk is broken.');
  });
});
