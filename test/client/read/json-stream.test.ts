import {expect} from 'chai';
import * as fc from 'fast-check';
import {parseJson} from '../../../src/client/read/json.js';
import {JsonStream} from '../../../src/client/read/json-stream.js';
import type {Json} from '../../../src/client/types.js';

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
