import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {expect} from 'chai';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('a test run', () => {
  const at = temporaryDirectory();

  it('that is interrupted says so, exits with 130, and counts nothing as failed', async () => {
    const words = ['--import=tsx', 'scripts/test.ts', 'built', 'test/e2e/sandbox.test.ts'];
    const child = spawn(process.execPath, words, {
      cwd: root,
      env: {PATH: process.env['PATH'], HOME: at(), TMPDIR: at()},
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data;
      });
    }
    const ended = once(child, 'close');
    while (!output.includes('.')) await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await ended).to.deep.equal([130, null]);
    expect(output).to.match(/\nInterrupted by SIGINT: the tests did not run to the end\.\n$/);
    expect(output).not.to.match(/left running|failed/);
  });
});
