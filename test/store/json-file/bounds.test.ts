import {expect} from 'chai';
import {type RecordBounds, UsageTable} from '../../../src/store/json-file/usage.js';
import {expectKind, sampleToken} from '../../support/store/samples.js';

const mebibyte = 1024 * 1024;
const bounds: RecordBounds = {perOrganization: {tokens: 1e9, connectors: 1e9}, bytes: mebibyte};

/** Adds records of one kind until one is refused. @returns the error */
function fill(
  usage: UsageTable,
  organization: string,
  kind: 'tokens' | 'connectors',
  text: string | null,
): unknown {
  try {
    while (usage.hasRoom(bounds, organization, kind, text)) {
      const record =
        kind === 'tokens'
          ? sampleToken({organization, description: text})
          : {organization, name: text ?? ''};
      usage.replace(undefined, record);
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the bounds of a store in memory', () => {
  for (const [kind, text] of [
    ['tokens', null],
    ['tokens', 'x'.repeat(512)],
    ['connectors', 'x'.repeat(256)],
  ] as const) {
    it(`let one organization fill half of the heap for records at most, with ${kind} with ${text?.length ?? 0} more characters`, () => {
      const usage = new UsageTable();
      const refused = fill(usage, 'acme', kind, text);
      expect(expectKind(refused, 'too-large').message).to.include('no room for more records');
      expect(usage.bytes).to.be.within(mebibyte * 0.4, mebibyte / 2);
      expect(usage.hasRoom(bounds, 'umbrella', kind, text)).to.equal(true);
    });
  }

  it('refuse a record of any organization, as a full store does, when all records fill the heap for them', () => {
    const usage = new UsageTable();
    for (let count = 0; count < 10; count += 1) {
      expectKind(fill(usage, `organization ${count}`, 'connectors', 'one'), 'too-large');
    }
    expect(usage.bytes).to.be.within(mebibyte * 0.9, mebibyte);
  });
});
