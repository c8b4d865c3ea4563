import {spawnSync} from 'node:child_process';
import {mkdirSync, utimesSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect} from 'chai';
import {noHome} from './environment.js';
import {refuseStale} from './fresh.js';
import {runCommand} from './run-command.js';
import {root} from './sources.js';
import {temporaryDirectory} from './temporary-directory.js';

describe('the environment of a test', () => {
  const at = temporaryDirectory();

  it('contains none of the settings of the shell that starts the tests', () => {
    const hooks = pathToFileURL(join(root, 'test', 'support', 'hooks.ts')).href;
    const script = `import(${JSON.stringify(hooks)}).then(() => console.log(Object.keys(process.env).join()))`;
    const foreign = ['FORCE_COLOR', 'NO_COLOR', 'COLUMNS', 'CI', 'XDG_CONFIG_HOME', 'https_proxy'];
    const env = Object.fromEntries([...foreign, 'CONNECTORCTL_API_KEY'].map((name) => [name, '1']));
    const {stdout} = spawnSync(process.execPath, ['--import=tsx', '--eval', script], {
      cwd: root,
      encoding: 'utf8',
      env: {PATH: process.env['PATH'], ...env},
    });
    expect(stdout).to.equal('PATH\n');
  });

  it('has no terminal during a command, even if the tests were started in one', async () => {
    const streams = [process.stdout, process.stderr];
    const before = streams.map(({isTTY}) => isTTY);
    for (const stream of streams) stream.isTTY = true;
    try {
      const {stderr} = await runCommand(['connector', 'get', 'con_1', '--base-url', 'nonsense']);
      expect(stderr).to.match(/^Error: /);
      expect(streams.map(({isTTY}) => isTTY)).to.deep.equal([true, true]);
    } finally {
      for (const [index, stream] of streams.entries()) stream.isTTY = before[index]!;
    }
  });

  it('has a home directory that not even root can create', () => {
    expect(() => mkdirSync(noHome, {recursive: true})).to.throw();
  });

  it('does not accept a build that is missing or older than its sources', () => {
    const built = at('start.cjs');
    const path = relative(root, built);
    expect(() => refuseStale(path)).to.throw(`${path} is missing: run npm run build`);
    writeFileSync(built, '');
    refuseStale(path);
    utimesSync(built, 0, 0);
    expect(() => refuseStale(path)).to.throw(/ is stale, since .* is newer: run npm run build$/);
  });
});
