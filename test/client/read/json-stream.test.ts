import {expect} from 'chai';
import * as fc from 'fast-check';
import {parseJson} from '../../../src/client/read/json.js';
import {JsonStream} from '../../../src/client/read/json-stream.js';
import type {Json} from '../../../src/domain/json.js';
import {jsonLine} from '../../../src/render/formats/json.js';

/** The values that a stream finds in a text, given in chunks of these sizes. */
function read(text: string, sizes: readonly number[], depth = 2) {
  const stream = new JsonStream((path) => path.length < depth);
  const bytes = Buffer.from(text);
  const found: {path: readonly (string | number)[]; value: Json}[] = [];
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = Math.max(sizes[piece % sizes.length] ?? 1, 1);
    for (const {path, values} of stream.write(bytes.subarray(at, at + size))) {
      const [last = 0] = path.slice(-1);
      for (const [offset, value] of values.entries()) {
        found.push({
          path:
            typeof last === 'number' && path.length > 0
              ? [...path.slice(0, -1), last + offset]
              : path,
          value,
        });
      }
    }
    at += size;
  }
  return {found, failed: stream.failed, ended: stream.ended};
}

/** The expected values, taken from the parsed text. */
function flatten(value: Json, depth = 2, path: readonly (string | number)[] = []): unknown[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [{path, value}];
  return Array.isArray(value)
    ? value.flatMap((one, index) => flatten(one, depth - 1, [...path, index]))
    : Object.entries(value).flatMap(([key, one]) => flatten(one, depth - 1, [...path, key]));
}

describe('JsonStream', () => {
  const sizes = fc.array(fc.integer({min: 1, max: 9}), {minLength: 1, maxLength: 5});

  it('finds every value in chunks of any size', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), sizes, (value, spaces, lengths) => {
        const text = `${JSON.stringify(value, undefined, spaces)} `;
        const {found, failed, ended} = read(text, lengths);
        expect({failed, ended}).to.deep.equal({failed: false, ended: true});
        expect(found).to.have.deep.members(flatten(parseJson(text)));
      }),
    );
  });

  it('returns the parts of a nested array after a text', () => {
    const {found} = read('["",[1]] ', [20]);
    expect(found).to.deep.equal(flatten(['', [1]]));
  });

  const exact = [
    ...['1.10', '1e400', '-0', '0.25', '1E5', '9007199254740993', '12345678901234567890'],
    ...[
      '{"10":1,"9":2}',
      '{"a":1,"a":2.50}',
      '{"a":[-0.0,{"b":1.0}]}',
      '[[],{},[{}]]',
      '{"\\u0031":1,"x":-0}',
    ],
    ...[
      '"\\ud83d\\ude00 \\ud83d"',
      '{"\\u0061\\"}":"],{\\\\"}',
      '"é漢😀"',
      'true',
      'null',
      '{"t":"12:00:00.000Z"}',
    ],
  ];

  for (const size of [1, 7, 64 * 1024]) {
    it(`keeps elements exact in chunks of ${size} bytes`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.constantFrom(...exact, '{"id":"a"}'), {minLength: 1, maxLength: 40}),
          fc.constantFrom(',', ' , ', ',\n'),
          (elements, separator) => {
            const {found, failed} = read(`[${elements.join(separator)}] `, [size], 1);
            expect(failed).to.equal(false);
            expect(found.map(({path}) => path)).to.deep.equal(elements.map((_, index) => [index]));
            expect(found.map(({value}) => jsonLine(value))).to.deep.equal(
              elements.map((element) => jsonLine(parseJson(element))),
            );
          },
        ),
        {numRuns: 50},
      );
    });
  }

  it('returns the elements before one that is not JSON', () => {
    const {found, failed} = read('[1,{"a":2},tru,4] ', [64], 1);
    expect({values: found.map(({value}) => value), failed}).to.deep.equal({
      values: [1, {a: 2}],
      failed: true,
    });
  });

  it('rejects the documents that JSON.parse rejects', () => {
    const characters = fc.constantFrom(...'[]{},:"\\ 01-.etruanlsf');
    const text = fc.array(characters, {minLength: 1, maxLength: 12}).map((all) => all.join(''));
    const broken = [
      '[1,]',
      '[1 2]',
      '[]]',
      '{"a":1,}',
      '{"a"}',
      '{,}',
      '[,]',
      '{1:2}',
      '"\n" ',
      ']',
    ];
    fc.assert(
      fc.property(text, sizes, (one, lengths) => {
        const {failed, ended} = read(`${one} `, lengths);
        let isJson = true;
        try {
          JSON.parse(one);
        } catch {
          isJson = false;
        }
        expect(ended && !failed, one).to.equal(isJson);
      }),
      {examples: broken.map((one) => [one, [3]]), numRuns: 3000},
    );
  });
});
