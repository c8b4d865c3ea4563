import {expect} from 'chai';
import * as fc from 'fast-check';
import type {CallContext} from '../../../src/client/context.js';
import {Page} from '../../../src/client/read/page.js';
import {jsonLine} from '../../../src/render/formats/json.js';

const context: CallContext = {
  operation: 'list',
  base: new URL('http://127.0.0.1'),
  hasKey: true,
  redact: (text) => text,
};
const head = {
  status: 200,
  headers: {'content-type': 'application/json'},
  url: context.base,
  serverTime: undefined,
  keyWithheld: false,
};

const connectors = '[{"id":"a","n":1.10},{"id":12345678901234567890},{"10":1,"9":2}]';

const bodies = [
  ...[connectors, `{"total":3,"connectors":${connectors}}`, `{"data":{"devices":${connectors}}}`],
  ...[`{"tags":["x"],"devices":${connectors},"others":[]}`, '{"data":null,"next":"c"}', 'null'],
  ...['{"connectors":{"edges":[{"node":{"id":1}}],"pageInfo":{"endCursor":"c"}},"a":[{"b":1}]}'],
  ...[
    '{"__proto__":{"total":1},"items":[]}',
    '{"a":[{"id":1}],"b":[{"id":2}]}',
    '{"message":"no"}',
  ],
  ...['[{"id":1},', '[{"id":1}]]', '"x"', '5', '', '{"connectors":{"a":{"id":1}},"tags":[]}'],
];

/** What a page holds: its elements, the fields beside them, and its error. */
async function read(page: Page) {
  const elements: string[] = [];
  let error: unknown;
  try {
    for await (const {list, first, values} of page.elements()) {
      for (const [index, value] of values.entries()) {
        elements.push(`${list}[${first + index}] ${jsonLine(value)}`);
      }
    }
  } catch (thrown) {
    error = thrown;
  }
  return {elements, members: JSON.stringify(page.members), error: String(error ?? '')};
}

describe('a page of a list', () => {
  it('is the same whether it arrives at once or in pieces of any size', async () => {
    const sizes = fc.integer({min: 1, max: 60});
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...bodies), sizes, sizes, async (body, first, size) => {
        const bytes = Buffer.from(body);
        async function* rest() {
          for (let at = first; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        const whole = await read(new Page(context, {...head, start: bytes, rest: undefined}));
        const long = Object.assign(rest(), {close: () => {}});
        const inPieces = await read(
          new Page(context, {...head, start: bytes.subarray(0, first), rest: long}),
        );
        // A short response that is no list has no elements.
        const before = whole.error === '' ? whole.elements : [];
        expect(whole.elements).to.deep.equal(before);
        expect(inPieces).to.deep.include({members: whole.members, error: whole.error});
        if (whole.error === '') expect(inPieces.elements).to.deep.equal(whole.elements);
      }),
      {numRuns: 300},
    );
  });
});
