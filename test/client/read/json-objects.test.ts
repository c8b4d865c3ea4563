import {expect} from 'chai';
import * as fc from 'fast-check';
import {parseJson} from '../../../src/client/read/json.js';
import {parseObjects} from '../../../src/client/read/json-objects.js';
import {JsonStream} from '../../../src/client/read/json-stream.js';
import {jsonLine} from '../../../src/render/formats/json.js';

const regular = [
  '{"id":"a","at":"2026-01-01T00:00:00.000Z"}',
  '{"n":1,"o":{"t":["x",null]}}',
  '{}',
];

/** Elements at which a cut would be wrong, or which a double or the order of keys would change. */
const awkward = [
  ...['{"t":"},{"}', '{"t":"\\\\\\"},{\\""}', '{"a":[{"b":1},{"c":2}]}', '{"é":"漢😀 } , {"}'],
  ...['{"n":1.10}', '{"n":12345678901234567890}', '{"10":1,"9":2}', '{"a":[1e400,{"b":-0}]}'],
  ...['[{},{}]', '"},{"', '7', 'null'],
];

const separators = fc.constantFrom(',', ' , ', ',\n\t', '\r\n,');

/** An array with enough elements to be parsed together where possible. */
function document(elements: readonly string[], separator: string): string {
  const count = Math.ceil(3000 / elements.join(separator).length);
  return `[${Array(count).fill(elements.join(separator)).join(separator)}] `;
}

describe('parseObjects', () => {
  it('keeps a stream of long arrays exact, whatever its elements and pieces are', () => {
    const elements = fc.array(
      fc.oneof({arbitrary: fc.constantFrom(...regular), weight: 8}, fc.constantFrom(...awkward)),
      {minLength: 1, maxLength: 40},
    );
    fc.assert(
      fc.property(
        elements,
        separators,
        fc.integer({min: 1000, max: 9000}),
        (all, between, size) => {
          const text = document(all, between);
          const stream = new JsonStream((path) => path.length === 0);
          const bytes = Buffer.from(text);
          const found: string[] = [];
          for (let at = 0; at < bytes.length; at += size) {
            for (const {path, values} of stream.write(bytes.subarray(at, at + size))) {
              expect(path).to.deep.equal([found.length]);
              found.push(...values.map(jsonLine));
            }
          }
          expect(stream.ended).to.equal(true);
          expect(found).to.deep.equal((parseJson(text) as []).map((value) => jsonLine(value)));
        },
      ),
      {numRuns: 50},
    );
  });

  it('parses all objects of a piece but the last, in any layout', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...regular), {minLength: 1}),
        separators,
        (all, between) => {
          const text = document(all, between);
          const found = parseObjects(Buffer.from(text), 1);
          const expected = JSON.parse(text).slice(0, -1);
          expect(found?.values ?? []).to.deep.equal(expected);
        },
      ),
      {numRuns: 20},
    );
  });

  const refused = [
    ['a number that a double cannot hold', '{"n":1.10},{}'],
    [
      'a number that a double cannot hold before another value of the same key',
      '{"n":1.10,"n":"x"},{}',
    ],
    ['a key that JavaScript would move', '{"10":1,"9":2},{}'],
    ['a key that JavaScript would move, written with an escape', '{"id":"a","\\u0031":true},{}'],
    ['a place within a string', '{},{"t":"},{"}'],
    ['a place within a nested array', '{},{"a":[{"b":1},{"c":2}]}'],
    ['an element that is not an object', '{},7,{},{}'],
  ];

  for (const [what = '', elements = ''] of refused) {
    it(`leaves ${what} to the stream`, () => {
      expect(parseObjects(Buffer.from(`[${elements}]`), 1)).to.equal(undefined);
    });
  }
});
