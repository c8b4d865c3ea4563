import {expect} from 'chai';
import {RecordBounds, UsageTable} from '../../../src/store/json-file/usage.js';
import {expectKind, sampleToken} from '../../support/store/samples.js';

const mebibyte = 1024 * 1024;
const wanted = {tokens: 100_000, connectors: 200_000};

/** Adds records of one kind while the bounds have room. @returns how many */
function fill(
  bounds: RecordBounds,
  usage: UsageTable,
  organization: string,
  kind: 'tokens' | 'connectors',
  text: string | null,
): number {
  let added = 0;
  while (bounds.hasRoom(usage, organization, kind, text)) {
    const record =
      kind === 'tokens'
        ? sampleToken({organization, description: text})
        : {organization, name: text ?? ''};
    usage.replace(undefined, record);
    added += 1;
  }
  return added;
}

describe('the bounds of a store in memory', () => {
  it('are those that were asked for where records of the usual size fit into half of the heap for records', () => {
    const bounds = new RecordBounds(wanted, 300 * mebibyte);
    expect(bounds.perOrganization).to.deep.equal(wanted);
  });

  it('are lowered in proportion where they do not', () => {
    const {tokens, connectors} = new RecordBounds(wanted, 28 * mebibyte).perOrganization;
    expect(tokens).to.be.within(10_000, 12_000);
    expect(connectors / tokens).to.be.closeTo(2, 0.001);
  });

  for (const [kind, text] of [
    ['tokens', null],
    ['tokens', 'x'.repeat(512)],
    ['connectors', 'x'.repeat(256)],
  ] as const) {
    it(`let one organization fill half of the heap for records at most, with ${kind} with ${text?.length ?? 0} more characters`, () => {
      const usage = new UsageTable();
      const bounds = new RecordBounds({tokens: 1e9, connectors: 1e9}, mebibyte);
      expect(fill(bounds, usage, 'acme', kind, text)).to.be.above(100);
      expect(usage.bytes).to.be.at.most(mebibyte / 2);
      expect(bounds.hasRoom(usage, 'umbrella', kind, text)).to.equal(true);
    });
  }

  it('refuse a record of any organization, as a full store does, when all records fill the heap for them', () => {
    const usage = new UsageTable();
    const bounds = new RecordBounds({tokens: 1e9, connectors: 1e9}, mebibyte);
    let refused: unknown;
    try {
      for (let count = 0; count < 10; count += 1) {
        fill(bounds, usage, `organization ${count}`, 'connectors', 'one');
      }
    } catch (error) {
      refused = error;
    }
    expect(expectKind(refused, 'too-large').message).to.include('no room for more records');
    expect(usage.bytes).to.be.at.most(mebibyte);
  });
});
