import {expect} from 'chai';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import {escapeControl} from '../../src/render/escape.js';
import {measurerFor} from '../../src/render/text-width.js';
import {unicodeMeasurer} from '../../src/render/unicode-width.js';
import {awkwardText} from '../support/render.js';

function cut(text: string, width: number): string {
  return unicodeMeasurer.cut(unicodeMeasurer.measure(text), width).text;
}

describe('measurerFor', () => {
  it('measures Unicode widths if any of the texts needs them', async () => {
    const widthOf = async (...texts: string[]) => (await measurerFor(texts)).measure('漢字').width;
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
          const measured = ascii.measure(text);
          expect(measured).to.deep.equal(unicodeMeasurer.measure(text));
          expect(ascii.cut(measured, width)).to.deep.equal(unicodeMeasurer.cut(measured, width));
        },
      ),
    );
  });
});

describe('unicodeMeasurer', () => {
  it('counts terminal columns', () => {
    const width = (text: string) => unicodeMeasurer.measure(text).width;
    expect(['abc', 'café', 'cafe\u0301', '漢字', '👩‍💻', '🇩🇪', '👍🏽'].map(width)).to.deep.equal([
      3, 4, 4, 4, 2, 2, 2,
    ]);
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

  it('puts a combining mark or joiner without a base on a dotted circle', () => {
    expect(unicodeMeasurer.measure('\u0301a')).to.deep.equal({text: '\u25cc\u0301a', width: 2});
    expect(unicodeMeasurer.measure('\u200d')).to.deep.equal({text: '\u25cc\u200d', width: 1});
  });

  it('stays within the width, returns the used width, and never splits a surrogate pair', () => {
    fc.assert(
      fc.property(awkwardText, fc.integer({min: 1, max: 30}), (value, width) => {
        const result = unicodeMeasurer.cut(unicodeMeasurer.measure(escapeControl(value)), width);
        expect(result.width).to.be.at.most(width);
        expect(result.width).to.equal(stringWidth(result.text));
        expect(result.text).not.to.match(/\p{Cs}/u);
      }),
    );
  });
});
