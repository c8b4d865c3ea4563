import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {notesOf} from '../../scripts/release/notes.js';
import {
  addressesOf,
  documents,
  namesNoRepository,
  readRepository,
  repositoryAt,
  withRepository,
} from '../../scripts/release/repository.js';
import {packagedVersion} from '../../scripts/release/tools.js';
import {root} from '../support/sources.js';

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
        /^release: package\.json names no repository\. .*release:repository/m,
      );
      expect(stderr).to.include(`release: OWNER/NAME is still in ${documents.join(', ')}.`);
    }
  });
});

describe('the addresses of the project', () => {
  it('follow from the one of the repository', () => {
    const read = readRepository(addressesOf(repositoryAt(url)));
    expect(read).to.deep.equal({url, homepage: `${url}#readme`, bugs: `${url}/issues`});
  });

  it('are refused when they are missing or of two repositories', () => {
    const addresses = addressesOf(repositoryAt(url));
    expect(() => readRepository({})).to.throw('package.json names no repository');
    expect(() => readRepository({...addresses, homepage: 'https://example.com'})).to.throw(
      'another',
    );
    for (const wrong of [
      '',
      'acme/connectorctl',
      `${url}.git`,
      `${url}/`,
      'https://github.com/OWNER/NAME',
    ])
      expect(() => repositoryAt(wrong), wrong).to.throw('is not the address of a repository');
  });
});

describe('a document', () => {
  it('names the repository after it was set, and again after it has moved', () => {
    const moved = repositoryAt('https://github.com/other/name');
    const before = pjson.repository && readRepository(pjson).url;
    for (const name of documents) {
      const text = readFileSync(join(root, name), 'utf8');
      const set = withRepository(text, repositoryAt(url), before);
      expect(namesNoRepository(set), name).to.equal(false);
      expect(set, name).to.include('acme/connectorctl');
      expect(withRepository(set, moved, url), name).not.to.include('acme/');
    }
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

  it('are the section of the version', () => {
    expect(notesOf(changelog, '1.0.0')).to.equal('### Added\n\n- Something.\n');
  });

  it('are refused without a section, and for one without a date', () => {
    expect(() => notesOf(changelog, '1.0')).to.throw('CHANGELOG.md has no section 1.0');
    expect(() => notesOf(changelog, '1.1.0')).to.throw('write "## 1.1.0 (YYYY-MM-DD)"');
  });

  it('can be cut from the changelog of the project', () => {
    const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    expect(
      notesOf(text.replace('(not released yet)', '(2026-11-23)'), pjson.version),
    ).to.have.length.above(100);
  });
});

describe('the version of a package', () => {
  it('of a release candidate comes before the release', () => {
    expect(['1.0.0', '1.0.0-rc.1'].map(packagedVersion)).to.deep.equal(['1.0.0', '1.0.0~rc.1']);
  });
});
