import {expect} from 'chai';
import * as fc from 'fast-check';
import {parseJson} from '../../../src/client/read/json.js';
import type {Json} from '../../../src/domain/json.js';
import {jsonArray, jsonLine, jsonText} from '../../../src/terminal/formats/json.js';
import {awkwardText, collect, terminalControls} from '../../support/values/render.js';

/** Any JSON value made of texts that are hard to show. */
const anyJson = fc.letrec<{value: Json}>((tie) => ({
  value: fc.oneof(
    {depthSize: 'small'},
    awkwardText,
    fc.double({noNaN: true, noDefaultInfinity: true}).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), {maxLength: 3}),
    fc.dictionary(awkwardText, tie('value'), {maxKeys: 3}),
  ),
})).value;

describe('jsonText', () => {
  it('equals the output of JSON.stringify with an indent of two, with keys in their order', () => {
    const value = {b: 1, a: [{}, []], c: {d: null}};
    expect(jsonText(value)).to.equal(JSON.stringify(value, undefined, 2));
  });

  it('escapes control characters', () => {
    expect(jsonText('\u009b\u007f\u202e\u2028\ufeff\u{e0041}\u001b')).to.equal(
      String.raw`"\u009b\u007f\u202e\u2028\ufeff\udb40\udc41\u001b"`,
    );
  });

  it('writes a bigint as its digits, even beside texts that look like a placeholder', () => {
    const value: unknown = {id: 12345678901234567890n, '#': '#1', marks: ['##2', -7n, '3']};
    // Read back as text: a JSON parser would round the number.
    expect(jsonLine(value as Json)).to.equal(
      '{"id":12345678901234567890,"#":"#1","marks":["##2",-7,"3"]}',
    );
  });

  it('parses to the same value, and has no control characters', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        for (const text of [jsonText(value), jsonLine(value)]) {
          expect(JSON.parse(text)).to.deep.equal(value);
          expect(text).not.to.match(terminalControls);
        }
        expect(jsonLine(value)).not.to.include('\n');
      }),
    );
  });
});

describe('JSON of a service', () => {
  const text =
    '{"n":12345678901234567890,"a":[-9007199254740993,{"z":"\\"#9007199254740993"}],"e":{},"f":[]}';

  it('keeps the digits of its integers on one line', () => {
    expect(jsonLine(parseJson(text))).to.equal(text);
    expect(jsonLine({change: 'added', connector: parseJson(text)})).to.equal(
      `{"change":"added","connector":${text}}`,
    );
    expect(jsonLine(parseJson('9007199254740993'))).to.equal('9007199254740993');
  });

  it('keeps the digits of its integers on indented lines', () => {
    expect(jsonText(parseJson(' { "b" : [ 12345678901234567890 , 1 ] , "a" : { } }\n'))).to.equal(
      ['{', '  "b": [', '    12345678901234567890,', '    1', '  ],', '  "a": {}', '}'].join('\n'),
    );
  });

  it('takes no text for an integer', () => {
    const awkward =
      '{"id":12345678901234567890,"a":"#12345678901234567890","b":"\\u0023\\u0023123"}';
    expect(parseJson(awkward)).to.deep.equal({
      id: 12345678901234567890n,
      a: '#12345678901234567890',
      b: '##123',
    });
  });
});

describe('jsonArray', () => {
  it('equals the output of jsonText for the whole array', async () => {
    const raws = fc.array(fc.dictionary(awkwardText, anyJson, {maxKeys: 3}), {minLength: 1});
    await fc.assert(
      fc.asyncProperty(raws, async (all) => {
        const text = collect(jsonArray(all));
        expect(text).to.equal(`${jsonText(all)}\n`);
      }),
    );
  });
});
