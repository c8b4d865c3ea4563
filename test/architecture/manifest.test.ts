import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {readmePath, withCurrentTables} from '../../scripts/readme-tables.js';
import {root, sourceFiles} from '../support/sources.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('what is written down twice', () => {
  it('README tables are those of the code (npm run docs rewrites them)', () => {
    const readme = readFileSync(readmePath, 'utf8');
    expect(readme).to.equal(withCurrentTables(readme));
    expect(readme.match(/<!-- table: /g)).to.have.length(5);
  });

  it('the manifest has every command, and no other', () => {
    const manifest = JSON.parse(read('oclif.manifest.json')) as {
      version: string;
      commands: Record<string, unknown>;
    };
    const commands = sourceFiles()
      .filter(({path}) => path.startsWith('commands/'))
      .map(({path}) => path.slice('commands/'.length, -'.ts'.length).replaceAll('/', ':'));
    expect(Object.keys(manifest.commands).sort()).to.deep.equal(commands.sort());
    expect(manifest.version).to.equal(JSON.parse(read('package.json')).version);
  });

  it('the lock file names no registry', () => {
    expect(read('package-lock.json')).not.to.include('"resolved"');
  });
});
