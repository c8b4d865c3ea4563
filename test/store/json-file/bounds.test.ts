import {expect} from 'chai';
import {RecordBounds} from '../../../src/store/json-file/bounds.js';
import {UsageTable} from '../../../src/store/json-file/state/usage.js';
import {expectKind} from '../../support/store/samples.js';

const mebibyte = 1024 * 1024;
const wanted = {tokens: 100_000, connectors: 200_000};

describe('the bounds of a store in memory', () => {
  it('are those that were asked for where records of the usual size fit into half of the heap for records', () => {
    const bounds = new RecordBounds(new UsageTable(), wanted, 300 * mebibyte);
    expect(bounds.perOrganization).to.deep.equal(wanted);
  });

  it('are lowered in proportion where they do not', () => {
    const {tokens, connectors} = new RecordBounds(new UsageTable(), wanted, 28 * mebibyte)
      .perOrganization;
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
      const bounds = new RecordBounds(usage, {tokens: 1e9, connectors: 1e9}, mebibyte);
      let reserved = 0;
      while (bounds.reserve('acme', kind, text) !== undefined) reserved += 1;
      expect(reserved).to.be.above(100);
      expect(usage.bytes).to.be.at.most(mebibyte / 2);
      expect(bounds.reserve('umbrella', kind, text)).to.be.a('function');
    });
  }

  it('refuse a record of any organization, as a full store does, when all records fill the heap for them', () => {
    const usage = new UsageTable();
    const bounds = new RecordBounds(usage, {tokens: 1e9, connectors: 1e9}, mebibyte);
    let refused: unknown;
    try {
      for (let count = 0; count < 10; count += 1) {
        while (bounds.reserve(`organization ${count}`, 'connectors', 'one') !== undefined);
      }
    } catch (error) {
      refused = error;
    }
    expect(expectKind(refused, 'too-large').publicDetail).to.include('no memory left');
    expect(usage.bytes).to.be.at.most(mebibyte);
  });

  it('count a reservation until it is released', () => {
    const bounds = new RecordBounds(new UsageTable(), {tokens: 1, connectors: 1}, mebibyte);
    const release = bounds.reserve('acme', 'tokens', null);
    expect(bounds.reserve('acme', 'tokens', null)).to.equal(undefined);
    release?.();
    expect(bounds.reserve('acme', 'tokens', null)).to.be.a('function');
  });
});
