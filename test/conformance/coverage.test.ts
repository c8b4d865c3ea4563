import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {checks, sectionOf} from '../../src/conformance/checks/index.js';
import {root} from '../support/sources.js';
import {coverage} from './coverage.js';

const page = readFileSync(join(root, 'docs', 'interface.md'), 'utf8');

/** The parts of docs/interface.md by their section number; the introduction is not the interface. */
const sections = page
  .split(/^#{2,3} (?=\d)/m)
  .slice(1)
  .map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    return {number: heading.replace(/\.? .*/, ''), text: lines.join('\n')};
  });

/** The sentences of a section, and the rows of its tables as sentences. */
function sentencesOf(text: string): string[] {
  return text.split('\n\n').flatMap((part) => {
    if (part.startsWith('|')) {
      const rows = [...part.matchAll(/^\| (`\w+`) \| (\w+) \| (.*) \|$/gm)];
      return rows.map(([, name, type, meaning]) => `${name}: ${meaning} (${type})`);
    }
    const plain = part.replace(/\s+/g, ' ').trim();
    return plain === '' ? [] : plain.split(/(?<=\.)\s+(?=[A-Z`])/);
  });
}

describe('the coverage of the interface by conformance', () => {
  it('has every sentence of docs/interface.md, in its order, and no other', () => {
    const sentences = sections.flatMap(({text}) => sentencesOf(text));
    expect(sentences).to.have.length.above(30);
    expect(coverage.map(({sentence}) => sentence)).to.deep.equal(sentences);
  });

  it('names only checks that exist, or says why there is none', () => {
    const ids = new Set<string>(checks.map(({id}) => id));
    for (const {sentence, by} of coverage) {
      if (typeof by === 'string')
        expect(by, sentence).to.match(/^(not checkable|open|covered by every check): \w+ \w+/);
      else {
        expect(by, sentence).not.to.be.empty;
        expect(
          by.filter((id) => !ids.has(id)),
          sentence,
        ).to.deep.equal([]);
      }
    }
  });

  it('uses each check of the level must', () => {
    const used = new Set(coverage.flatMap(({by}) => (typeof by === 'string' ? [] : by)));
    const musts = checks.filter(({level}) => level === 'must').map(({id}) => id);
    expect(musts.filter((id) => !used.has(id))).to.deep.equal([]);
  });

  it('the section of each check, and each section in its source, is one of docs/interface.md', () => {
    const numbers = sections.map(({number}) => number);
    expect(numbers).to.include.members(['2', '4.1', '4.5', '9']);
    for (const check of checks) {
      const section = sectionOf(check);
      if (section !== 'http') expect(numbers, check.id).to.include(section);
      if (!check.source.startsWith('interface')) continue;
      const cited = check.source.split(': ')[0]?.match(/(?<=§)[\d.]*\d/g) ?? [];
      expect(cited, check.id).not.to.be.empty;
      expect(numbers, check.id).to.include.members(cited);
    }
  });

  it('has checks with unique ids, more than forty of them judged', () => {
    expect(new Set(checks.map(({id}) => id)).size).to.equal(checks.length);
    const judged = checks.filter(({level}) => level === 'must' || level === 'should');
    expect(judged.length).to.be.above(40);
  });
});
