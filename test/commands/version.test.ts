import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild} from '../support/process/child.js';
import {root} from '../support/sources.js';

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const platform = `${process.platform}-${process.arch}`;

describe('--version', () => {
  it('prints one line', async () => {
    const {code, stdout} = await runChild(['--version']);
    expect({code, stdout}).to.deep.equal({
      code: 0,
      stdout: `connectorctl/${version} ${platform} node-${process.version}\n`,
    });
  });

  it('prints versions, commit, platform and build with --json', async () => {
    const {stdout} = await runChild(['-v', '--json']);
    const {build, commit, date, ...others} = JSON.parse(stdout);
    expect(others).to.deep.equal({version, node: process.version, platform});
    expect(build).to.match(/^[0-9a-f]{12}$/);
    // null in a build of files that are not committed.
    if (commit !== null) expect(commit).to.match(/^[0-9a-f]{40}$/);
    expect(date === null).to.equal(commit === null);
  });
});
