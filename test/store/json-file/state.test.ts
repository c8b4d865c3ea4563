import {expect} from 'chai';
import {State} from '../../../src/store/json-file/state.js';
import {sampleToken} from '../../support/store/samples.js';

describe('the state of a JSON file store', () => {
  it('has up to 256 records on a line', () => {
    const state = new State();
    const tokens = Array.from({length: 513}, () => sampleToken());
    state.apply({tokens});
    const lines = [...state.lines(0)];
    expect(lines.map((line) => line.tokens?.length)).to.deep.equal([256, 256, 1, undefined]);
    expect(lines.flatMap((line) => line.tokens ?? [])).to.deep.equal(tokens);
    expect(lines.at(-1)).to.deep.equal({compact: true});
  });
});
