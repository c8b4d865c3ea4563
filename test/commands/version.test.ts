import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild} from '../support/process/child.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const platform = `${process.platform}-${process.arch}`;

describe('--version', () => {
  const at = temporaryDirectory();
  const run = (words: readonly string[], env = {}) =>
    runChild(words, {env: {XDG_CACHE_HOME: at(), ...env}});

  it('prints one line', async () => {
    const {code, stdout} = await run(['--version']);
    expect({code, stdout}).to.deep.equal({
      code: 0,
      stdout: `connectorctl/${version} ${platform} node-${process.version}\n`,
    });
  });

  it('prints versions, commit, platform, build and code cache with --json', async () => {
    for (const words of [
      ['--version', '--json'],
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
      expect(build).to.match(/^[0-9a-f]{12}$/);
      // null in a build of files that are not committed.
      if (commit !== null) expect(commit).to.match(/^[0-9a-f]{40}$/);
      expect(date === null).to.equal(commit === null);
      expect(cache.directory).to.equal(at('connectorctl', 'compiled'));
    }
  });
});
