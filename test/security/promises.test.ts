import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {root} from '../support/sources.js';

const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
const named = [...page.matchAll(/^- `(test\/[\w/.-]+)` › "(.+)"$/gm)].map(
  ([, path = '', words = '']) => ({path, words}),
);

/** The titles of the tests in a file, as written in the source. */
function titles(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const pattern = /\bit(?:Large)?\(\s*(?:'((?:\\.|[^'])*)'|"((?:\\.|[^"])*)"|`((?:\\.|[^`])*)`)/g;
  return [...text.matchAll(pattern)].map(([, one, two, three]) => one ?? two ?? three ?? '');
}

describe('SECURITY.md', () => {
  it('names a test for each of its promises', () => {
    expect(page.match(/^- /gm)).to.have.length(named.length);
    const sections = page.split(/^\*\*/m).slice(1);
    expect(sections.length).to.be.above(10);
    for (const section of sections) expect(section).to.match(/^- `test\//m);
  });

  for (const {path, words} of named) {
    it(`names a test that exists: ${path}: ${words}`, () => {
      expect(existsSync(join(root, path))).to.equal(true);
      expect(titles(path).some((title) => title.includes(words))).to.equal(true);
    });
  }
});
