import {expect} from 'chai';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import {escapeControl} from '../../src/terminal/escape.js';
import {measurerFor} from '../../src/terminal/text-width.js';
import {awkwardText} from '../support/values/render.js';

const unicode = await measurerFor(['漢字']);
const {cut} = unicode;

describe('measurerFor', () => {
  it('measures Unicode widths if any of the texts needs them', async () => {
    const widthOf = async (...texts: string[]) => (await measurerFor(texts)).width('漢字');
    expect(await widthOf('build-1', '漢字')).to.equal(4);
    expect(await widthOf('build-1', '')).to.equal('漢字'.length);
  });

  it('returns measurers that agree on ASCII', async () => {
    const ascii = await measurerFor([]);
    fc.assert(
      fc.property(
        fc.string({unit: 'grapheme-ascii'}),
        fc.integer({min: 1, max: 30}),
        (text, width) => {
          expect(ascii.width(text)).to.equal(unicode.width(text));
          expect(ascii.cut(text, width)).to.equal(unicode.cut(text, width));
        },
      ),
    );
  });
});

describe('the measurer for Unicode', () => {
  it('counts terminal columns', () => {
    expect(
      ['abc', 'café', 'cafe\u0301', '漢字', '👩‍💻', '🇩🇪', '👍🏽'].map(unicode.width),
    ).to.deep.equal([3, 4, 4, 4, 2, 2, 2]);
  });

  it('truncates between grapheme clusters', () => {
    expect(cut('build-1', 7)).to.equal('build-1');
    expect(cut('build-10', 7)).to.equal('build-…');
    expect(cut('漢字かな', 8)).to.equal('漢字かな');
    expect(cut('漢字かな', 7)).to.equal('漢字か…');
    expect(cut('漢字かな', 6)).to.equal('漢字…');
    expect(cut('👩‍💻👨‍👩‍👧‍👦', 3)).to.equal('👩‍💻…');
    expect(cut('👩‍💻👨‍👩‍👧‍👦', 2)).to.equal('…');
    expect(cut('e\u0301e\u0301e\u0301', 2)).to.equal('e\u0301…');
    expect(cut('𠀀𠀀𠀀', 5)).to.equal('𠀀𠀀…');
  });

  it('stays within the width, and never splits a surrogate pair', () => {
    fc.assert(
      fc.property(awkwardText, fc.integer({min: 1, max: 30}), (value, width) => {
        const result = cut(escapeControl(value), width);
        expect(stringWidth(result)).to.be.at.most(width);
        expect(result).not.to.match(/\p{Cs}/u);
      }),
    );
  });
});
