import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild} from '../support/child.js';
import {root} from '../support/sources.js';
import {testTarget} from '../support/target.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const platform = `${process.platform}-${process.arch}`;

describe('version', () => {
  const at = temporaryDirectory();
  const run = (words: readonly string[]) => runChild(words, {env: {XDG_CACHE_HOME: at()}});

  it('prints the same as --version', async () => {
    const {code, stdout} = await run(['version']);
    expect({code, stdout}).to.deep.equal({
      code: 0,
      stdout: `connectorctl/${version} ${platform} node-${process.version}\n`,
    });
    expect((await run(['--version'])).stdout).to.equal(stdout);
  });

  it('prints versions, commit, platform, build and code cache with --version --json and version --json', async () => {
    for (const words of [
      ['--version', '--json'],
      ['version', '--json'],
      ['-v', '--json'],
    ]) {
      const {
        build,
        commit,
        date,
        code_cache: cache,
        ...others
      } = JSON.parse((await run(words)).stdout);
      expect(others).to.deep.equal({version, node: process.version, platform});
      // The single modules have no build and no cache.
      if (testTarget === 'source') {
        expect([build, commit, date, cache]).to.deep.equal([null, null, null, null]);
        continue;
      }
      expect(build).to.match(/^[0-9a-f]{12}$/);
      // null in a build of files that are not committed.
      if (commit !== null) expect(commit).to.match(/^[0-9a-f]{40}$/);
      expect(date === null).to.equal(commit === null);
      expect(cache.directory).to.equal(at('connectorctl', 'compiled'));
    }
  });

  it('shows with --verbose whether the code cache is cold, warm or off', async () => {
    const line = async (env = {}) => {
      const words = ['--version', '--verbose'];
      const {stdout} = await runChild(words, {env: {XDG_CACHE_HOME: at(), ...env}});
      return /^code cache +(\w+)/m.exec(stdout)?.[1];
    };
    const found = [await line(), await line(), await line({NODE_DISABLE_COMPILE_CACHE: '1'})];
    const states = testTarget === 'source' ? ['none', 'none', 'none'] : ['cold', 'warm', 'off'];
    expect(found).to.deep.equal(states);
  });
});
