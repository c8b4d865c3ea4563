import {spawnSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {readSource} from '../../../scripts/build/commit.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const unknown = {commit: null, date: null};
const when = '2026-11-23T05:30:00Z';

describe('the commit of a build', () => {
  const path = temporaryDirectory();
  const git = (...words: readonly string[]) => {
    const dates = {GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when};
    const person = ['-c', 'user.name=someone', '-c', 'user.email=someone@example.com'];
    const options = {cwd: path(), encoding: 'utf8', env: {...process.env, ...dates}} as const;
    return spawnSync('git', [...person, ...words], options).stdout.trim();
  };

  beforeEach(() => {
    writeFileSync(path('file'), 'one\n');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'one');
  });

  it('is the one of a clean clone, with its time in UTC', () => {
    expect(readSource(path(), {})).to.deep.equal({commit: git('rev-parse', 'HEAD'), date: when});
  });

  it('is unknown with a changed or a new file, below the root of another clone, and without one', () => {
    mkdirSync(path('below'));
    expect(readSource(path('below'), {})).to.deep.equal(unknown);
    expect(readSource('/', {})).to.deep.equal(unknown);
    writeFileSync(path('new'), '');
    expect(readSource(path(), {})).to.deep.equal(unknown);
    git('clean', '--quiet', '--force');
    writeFileSync(path('file'), 'two\n');
    expect(readSource(path(), {})).to.deep.equal(unknown);
  });

  it('is the one of the environment where Git is not, and that must be a commit', () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const environment = {SOURCE_COMMIT: commit, SOURCE_DATE_EPOCH: '1795411800'};
    expect(readSource('/', environment)).to.deep.equal({commit, date: '2026-11-23T05:30:00Z'});
    expect(() => readSource('/', {...environment, SOURCE_COMMIT: 'main'})).to.throw('main is not');
  });
});
