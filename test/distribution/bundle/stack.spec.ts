import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect} from 'chai';
import {noHome} from '../../support/process/environment.js';
import {root} from '../../support/sources.js';

const unexpectedError = join(root, 'test/support/preload/unexpected-error.cjs');

describe('a stack trace of the bundle', () => {
  const stack = (...flags: readonly string[]) => {
    const argv = ['connector', 'get', 'con_unexpected', '--base-url', 'http://127.0.0.1:1'];
    const {stderr} = spawnSync(
      process.execPath,
      ['--require', unexpectedError, join(root, 'bin', 'run.js'), ...argv, ...flags],
      {encoding: 'utf8', env: {PATH: process.env['PATH'], HOME: noHome}},
    );
    return stderr;
  };

  it('names positions in the bundle, which scripts/source-positions.ts turns into those of the sources', () => {
    const input = stack('--debug');
    expect(input).to.include('TypeError: cannot read properties of an unexpected error\n');
    expect(input).to.match(/^ {4}at .*client\.cjs:\d+:\d+\)?$/m);
    const script = join(root, 'scripts', 'source-positions.ts');
    const {stdout} = spawnSync(process.execPath, ['--import=tsx', script], {
      input,
      encoding: 'utf8',
      cwd: root,
    });
    expect(stdout).to.match(/^ {4}at .*src\/client\/http\/transport\.ts:\d+:\d+\)?$/m);
    expect(stdout).to.match(/^ {4}at .*src\/client\/create-client\.ts:\d+:\d+\)?$/m);
  });

  it('is shown only with --debug', () => {
    expect(stack()).not.to.match(/^ {4}at /m);
  });
});
