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

  it('never folds a long text', () => {
    const name = 'word '.repeat(100).trim();
    expect(yamlText({name})).to.equal(`name: ${name}\n`);
  });

  it('keeps the blanks of a text that has nothing else', () => {
    expect(parse(yamlText({' \n': ' \n'}))).to.deep.equal({' \n': ' \n'});
  });

  it('keeps a line of blanks in a long text with control characters', () => {
    const text = `\n \n\u001b${'x'.repeat(40)}`;
    expect(parse(yamlText([text]))).to.deep.equal([text]);
  });

  it('parses to the same value, and has no control characters', () => {
    const value = fc.dictionary(
      awkwardText,
      fc.oneof(awkwardText, fc.array(awkwardText), fc.integer(), fc.boolean(), fc.constant(null)),
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
