import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect} from 'chai';
import {noHome} from '../support/environment.js';
import {root} from '../support/sources.js';

const unexpectedError = join(root, 'test', 'support', 'unexpected-error.cjs');

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

  it('names source file, line and column', () => {
    const text = stack('--debug');
    expect(text).to.include('TypeError: cannot read properties of an unexpected error\n');
    expect(text).to.match(/^ {4}at url \(src\/client\/http\/transport\.ts:\d+:\d+\)$/m);
    expect(text).to.match(/^ {4}at run \(src\/commands\/connector\/get\.ts:\d+:\d+\)$/m);
    expect(text).to.match(/^ {4}at async _run \(node_modules\/@oclif\/core\/.*:\d+:\d+\)$/m);
    expect(text).not.to.include('.cjs:1:');
  });

  it('is shown only with --debug', () => {
    expect(stack()).not.to.match(/^ {4}at /m);
  });
});
