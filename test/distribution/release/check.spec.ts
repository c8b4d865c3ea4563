import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {notesOf} from '../../../scripts/release/notes.js';
import {packagedVersion, readRepository} from '../../../scripts/release/tools.js';
import {root} from '../../support/sources.js';

const url = 'https://github.com/acme/connectorctl';
const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('a tag', () => {
  const check = (tag: string) => {
    const tsx = join(root, 'node_modules', '.bin', 'tsx');
    return spawnSync(tsx, [join(root, 'scripts', 'release', 'check.ts'), tag], {encoding: 'utf8'});
  };

  it('is not released before the repository has an address, the changelog a date, and the version fits', () => {
    const {status, stderr} = check('v99.0.0');
    expect(status).to.equal(1);
    expect(stderr).to.match(/^release: The tag is v99\.0\.0, and package\.json has version /m);
    if (pjson.repository === undefined) {
      expect(stderr).to.match(
        /^release: package\.json names no repository, homepage or bugs\. .*npm pkg set/m,
      );
      expect(stderr).to.match(
        /^release: OWNER is still in \.github\/CODEOWNERS, README\.md, contrib\//m,
      );
    }
  });
});

describe('the address of the repository', () => {
  it('is read from package.json without the form of npm', () => {
    const repository = {url: `git+${url}.git`};
    const homepage = `${url}#readme`;
    const bugs = {url: `${url}/issues`};
    expect(readRepository({repository, homepage, bugs})).to.deep.equal({url, homepage});
    expect(() => readRepository({repository, homepage})).to.throw('homepage or bugs');
  });
});

describe('the notes of a release', () => {
  const changelog = `# Changelog

## 1.1.0 (not released yet)

Later.

## 1.0.0 (2026-11-23)

### Added

- Something.

## 0.9.0 (2026-01-01)

Earlier.
`;

  it('are refused without a section, and for one without a date', () => {
    expect(() => notesOf(changelog, '1.0')).to.throw('CHANGELOG.md has no section 1.0');
    expect(() => notesOf(changelog, '1.1.0')).to.throw('write "## 1.1.0 (YYYY-MM-DD)"');
  });
});

describe('the version of a package', () => {
  it('of a release candidate comes before the release', () => {
    expect(['1.0.0', '1.0.0-rc.1'].map(packagedVersion)).to.deep.equal(['1.0.0', '1.0.0~rc.1']);
  });
});
