import {expect} from 'chai';
import {problems} from '../../src/contract/index.js';
import {sourceFiles} from '../support/sources.js';
import {documents} from './documents.js';

/** The words of some pages as `wc -w` counts them, without the tables that the code generates. */
function words(pages: readonly {text: string}[]): number {
  const written = pages.map(({text}) => text.replace(/<!-- table: [\s\S]*?<!-- end -->/g, ''));
  return written.flatMap((text) => text.trim().split(/\s+/)).length;
}

const page = (path: string) => documents.filter((document) => document.path === path);
const below = (directory: string) => documents.filter(({path}) => path.startsWith(directory));
const generated = below('docs/commands/');
const internals = below('docs/internals/');
const forUsers = below('docs/').filter((it) => !generated.includes(it) && !internals.includes(it));

describe('the length of the documents', () => {
  const shelves = {
    'docs/ for users': {pages: forUsers, most: 12_500},
    'docs/commands': {pages: generated, most: 10_500},
    'docs/internals': {pages: internals, most: 5000},
    'README.md': {pages: page('README.md'), most: 620},
    'ARCHITECTURE.md': {pages: page('ARCHITECTURE.md'), most: 1300},
    'CHANGELOG.md': {pages: page('CHANGELOG.md'), most: 400},
    'SECURITY.md': {pages: page('SECURITY.md'), most: 1500},
  };
  for (const [shelf, {pages, most}] of Object.entries(shelves)) {
    it(`of ${shelf} is at most ${most} words: shorten a page, or say it once`, () => {
      expect(pages).to.not.be.empty;
      expect(words(pages)).to.be.at.most(most);
    });
  }
});

describe('docs/troubleshooting.md', () => {
  const source = sourceFiles()
    .map(({text}) => text)
    .join('\n');
  const cells = page('docs/troubleshooting.md').flatMap(({text}) =>
    [...text.matchAll(/^\| (?!---|message|code)(.+?) \|/gm)].map(([, cell = '']) => cell),
  );

  it('quotes only messages that the source has', () => {
    const messages = cells.filter((cell) => !cell.startsWith('`'));
    expect(messages).to.have.length.above(10);
    const missing = messages
      .flatMap((cell) => cell.split(' … '))
      .filter((part) => !source.includes(part));
    expect(missing).to.deep.equal([]);
  });

  it('explains only codes that the service has', () => {
    const codes = cells.filter((cell) => cell.startsWith('`')).join(' ');
    const names = [...codes.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(Object.keys(problems)).to.include.members(names);
  });
});
