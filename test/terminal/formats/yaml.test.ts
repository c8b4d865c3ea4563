import {expect} from 'chai';
import * as fc from 'fast-check';
import {parse} from 'yaml';
import {yamlSequence, yamlText} from '../../../src/terminal/formats/yaml.js';
import {awkwardText, collect, terminalControls} from '../../support/values/render.js';

describe('yamlText', () => {
  it('keeps the order of keys, and quotes texts that YAML 1.1 parses as another type', () => {
    expect(yamlText({name: 'no', id: 7, at: '2026-07-01T12:00:00Z', none: null})).to.equal(
      'name: "no"\nid: 7\nat: "2026-07-01T12:00:00Z"\nnone: null\n',
    );
  });

  it('escapes control characters', () => {
    expect(yamlText({'a\u009b': '\u202e\u007f\u{e0041}'})).to.equal(
      '"a\\u009b": "\\u202e\\u007f\\U000e0041"\n',
    );
  });

  const typed =
    '1,2 0X1F :web = << 1_000 0o7 1e3 e5 12:30:45 .5 5. ~ y Off NULL .inf 10.0.0.1 - web: a#b é';
  for (const text of [...typed.split(' '), '', ' a', 'a ', 'a: b', 'a #b', '---', '\ufffe']) {
    it(`quotes a text that a reader may take for another value: ${JSON.stringify(text)}`, () => {
      expect(yamlText([text])).to.match(/^- ".*"\n$/);
      expect(yamlText({[text]: text})).to.match(/^".*": ".*"\n$/);
      for (const version of ['1.1', '1.2'] as const) {
        expect(parse(yamlText({[text]: text}), {version})).to.deep.equal({[text]: text});
      }
    });
  }

  it('leaves a text of letters, digits, dots, dashes, slashes and blanks without quotes', () => {
    for (const text of ['web-1', 'a.b/c_d@e', 'two words', 'e5x', 'Yes-1']) {
      expect(yamlText([text])).to.equal(`- ${text}\n`);
    }
  });

  it('writes a number so that YAML 1.1 reads it as one too', () => {
    const numbers = [0, -1, 1.5, 1e21, -1e21, 1e-7, 1.5e300];
    const text = yamlText([...numbers, 12345678901234567890n]);
    expect(text)
      .to.match(/^- 1\.0e\+21$/m)
      .and.match(/^- 12345678901234567890$/m);
    expect(parse(text, {version: '1.1'}).slice(0, -1)).to.deep.equal(numbers);
  });

  it('keeps objects and lists inside each other, also empty ones', () => {
    const value = {a: [[1, [2, []]], {}, {b: {c: [{d: null, e: ['x']}, {f: {}}]}}], g: []};
    expect(yamlText([value])).to.equal(
      '- a:\n    - - 1\n      - - 2\n        - []\n    - {}\n    - b:\n        c:\n          - d: null\n            e:\n              - x\n          - f: {}\n  g: []\n',
    );
    expect(parse(yamlText([value]))).to.deep.equal([value]);
  });

  it('writes half of a character, which other readers refuse, as U+FFFD', () => {
    expect(yamlText(['a\ud83d'])).to.equal('- "a\ufffd"\n');
  });

  it('parses to the same value, and has no control characters', () => {
    const whole = awkwardText.map((text) => text.replace(/\p{Cs}/gu, '\ufffd'));
    const value = fc.dictionary(
      whole,
      fc.oneof(whole, fc.array(whole), fc.integer(), fc.boolean(), fc.constant(null)),
    );
    fc.assert(
      fc.property(value, (object) => {
        const text = yamlText(object);
        expect(parse(text)).to.deep.equal({...object});
        expect(text).not.to.match(terminalControls);
      }),
    );
  });
});

describe('yamlSequence', () => {
  it('writes one sequence item by item', async () => {
    const text = collect(yamlSequence([{id: 'a', tags: ['eu', 'web']}, {id: 'b'}]));
    expect(text).to.equal('- id: a\n  tags:\n    - eu\n    - web\n- id: b\n');
    expect(parse(text)).to.deep.equal([{id: 'a', tags: ['eu', 'web']}, {id: 'b'}]);
  });
});
