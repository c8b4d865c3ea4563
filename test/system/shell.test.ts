import {expect} from 'chai';
import {runShell} from '../../src/system/shell.js';

describe('a command line of the user', () => {
  const run = (command: string, timeout: number, signal = new AbortController().signal) =>
    runShell(command, {env: process.env, timeout, signal});
  const minute = 60_000;

  it('says how it failed', async () => {
    expect(await run('exit 0', minute)).to.equal(undefined);
    expect(await run('exit 3', minute)).to.equal('exited with 3');
  });

  it('is killed when it takes too long, and when it is aborted', async () => {
    expect(await run('sleep 1000 & wait', 200)).to.equal('took longer than 0.2 s');
    expect(await run('sleep 1000 & wait', minute, AbortSignal.abort())).to.match(/SIGKILL/);
  });
});
