import {expect} from 'chai';
import * as fc from 'fast-check';
import {formatJson, isFragile, parseExactly, sourceOf} from '../../src/domain/json-source.js';

const numbers = ['0', '7', '-1', '0.25', '1.10', '-0', '1e5', '1E400', '9007199254740993'];
const texts = ['""', '"a"', '"1.10"', '"\\u0031"', '"[1.10, -0]"', '"\\\\"', '"\\"1.10"', '"é😀"'];
const keys = ['"a"', '"b"', '"10"', '"9"', '"\\u0031"', '"-1"', '"__proto__"'];

/** JSON texts of any layout, with what JavaScript changes in some of them. */
const {document} = fc.letrec<{document: string; array: string; object: string}>((tie) => {
  const space = fc.constantFrom('', '', ' ', '\n\t');
  const pair = fc
    .tuple(fc.constantFrom(...keys), space, tie('document'))
    .map(([key, between, value]) => `${key}${between}:${between}${value}`);
  const joined = (open: string, items: fc.Arbitrary<string>, close: string) =>
    fc
      .tuple(fc.array(items, {maxLength: 4}), space)
      .map(
        ([all, between]) =>
          `${open}${between}${all.join(`${between},${between}`)}${between}${close}`,
      );
  return {
    document: fc.oneof(
      {depthSize: 'small'},
      fc.constantFrom(...numbers, ...texts, 'null', 'true', 'false'),
      tie('array'),
      tie('object'),
    ),
    array: joined('[', tie('document'), ']'),
    object: joined('{', pair, '}'),
  };
});

/** A text without spaces between its tokens. */
const compact = (text: string) => formatJson(text, 0);

describe('a JSON text that is not fragile', () => {
  it('is the same after JSON.parse and JSON.stringify', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(0, 2), (text, spaces) => {
        fc.pre(!isFragile(text));
        const value: unknown = JSON.parse(text);
        // Of escapes and repeated keys, JSON.stringify writes another form of the same value.
        fc.pre(!/\\u|"a".*"a"|"b".*"b"|__proto__|"-1".*"-1"/s.test(text));
        expect(JSON.stringify(value, undefined, spaces)).to.equal(formatJson(text, spaces));
      }),
      {numRuns: 500},
    );
  });
});

describe('a fragile JSON text', () => {
  for (const text of [
    ...['1.10', '-0', '1e5', '1E400', '9007199254740993', '[0,1.0]', '{"a": -0.0}'],
    ...['{"10":1}', '{"\\u0031":"x"}', '{"a":[{"9" : null}]}'],
  ]) {
    it(`is ${text}`, () => {
      expect(isFragile(text)).to.equal(true);
    });
  }

  for (const text of [...['0', '0.25', '-1', '9007199254740991', '"1.10"', '["-0"]']]) {
    it(`is not ${text}`, () => {
      expect(isFragile(text)).to.equal(false);
    });
  }

  it('keeps the source of each of its objects', () => {
    fc.assert(
      fc.property(document, (text) => {
        const value = parseExactly(`{"v":${text}}`);
        expect(compact(sourceOf(value) ?? '')).to.equal(compact(`{"v":${text}}`));
      }),
      {numRuns: 300},
    );
  });

  it('has the values of JSON.parse, except for integers that no double can hold', () => {
    fc.assert(
      fc.property(document, (text) => {
        fc.pre(!text.includes('9007199254740993'));
        expect(parseExactly(text)).to.deep.equal(JSON.parse(text));
      }),
      {numRuns: 300},
    );
    expect(parseExactly('[9007199254740993,-9007199254740991,12345678901234567890]')).to.deep.equal(
      [9007199254740993n, -9007199254740991, 12345678901234567890n],
    );
  });
});

describe('the source of an object', () => {
  it('is not copied with it, because the copy may differ', () => {
    const value = parseExactly('{"n":1.10}');
    expect(sourceOf(value)).to.equal('{"n":1.10}');
    expect(sourceOf({...Object(value)})).to.equal(undefined);
    expect([null, 1, 'x', [], {}].map(sourceOf)).to.deep.equal(Array(5).fill(undefined));
  });
});
