import {expect} from 'chai';
import {encodeRecords, type StoreRecord} from '../../../src/store/json-file/records.js';

const beat = (at: number, ...ids: string[]): StoreRecord => ({type: 'heartbeats', at, ids});
const revocation: StoreRecord = {type: 'revocation', id: 'key_1', at: 5};

const encoded = (...records: readonly StoreRecord[]): unknown =>
  JSON.parse(`[${encodeRecords(records)}]`);

describe('records as text', () => {
  it('join the heartbeats of one millisecond, in their order', () => {
    expect(encoded(beat(5, 'a'), beat(5, 'b'), beat(5, 'a'))).to.deep.equal([
      beat(5, 'a', 'b', 'a'),
    ]);
  });

  it('keep the heartbeats of different milliseconds apart', () => {
    const records = [beat(5, 'a'), beat(6, 'b'), beat(5, 'c')];
    expect(encoded(...records)).to.deep.equal(records);
  });

  it('move no heartbeat past another record', () => {
    const records = [beat(5, 'a'), revocation, beat(5, 'b')];
    expect(encoded(...records)).to.deep.equal(records);
  });

  it('leave the records that they are made of as they were', () => {
    const first = beat(5, 'a');
    encodeRecords([first, beat(5, 'b')]);
    expect(first).to.deep.equal(beat(5, 'a'));
  });

  it('are empty for none', () => {
    expect(encodeRecords([])).to.equal('');
  });
});
