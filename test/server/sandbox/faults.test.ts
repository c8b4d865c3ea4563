import {expect} from 'chai';
import {Faults} from '../../../src/server/sandbox/faults.js';

describe('the faults of a sandbox', () => {
  let now = 0;
  const make = (seed: number, ...specs: string[]) => new Faults(seed, () => now, specs);
  const draw = (faults: Faults, count: number) =>
    Array.from({length: count}, () => Number(faults.plan('list').outcome !== undefined));

  beforeEach(() => {
    now = 0;
  });

  it('act only on the operation that they name, or with * on all', () => {
    const faults = make(1, 'get:reset', '*:latency=1s');
    expect(faults.plan('list')).to.deep.equal({latency: 1000, outcome: undefined});
    expect(faults.plan('get')).to.deep.equal({latency: 1000, outcome: {kind: 'reset'}});
  });

  it('act only on the third request with #3, and on the next three with 3x', () => {
    expect(draw(make(1, 'list:reset@#3'), 5)).to.deep.equal([0, 0, 1, 0, 0]);
    expect(draw(make(1, 'list:reset@3x'), 5)).to.deep.equal([1, 1, 1, 0, 0]);
  });

  it('act until a time on the virtual clock', () => {
    const faults = make(1, 'list:reset@5m');
    now = 299_999;
    expect(draw(faults, 1)).to.deep.equal([1]);
    now = 300_000;
    expect(draw(faults, 1)).to.deep.equal([0]);
    expect(faults.list()).to.deep.equal([{id: 1, spec: 'list:reset@5m', matched: 2, applied: 1}]);
  });

  it('act on the same requests with the same seed, and on other requests with another seed', () => {
    const drawn = draw(make(7, 'list:503@30%'), 200);
    expect(draw(make(7, 'list:503@30%'), 200)).to.deep.equal(drawn);
    expect(draw(make(8, 'list:503@30%'), 200)).not.to.deep.equal(drawn);
    const applied = drawn.filter(Boolean).length;
    expect(applied).to.be.within(35, 85);
  });

  it('do not change the random numbers of each other', () => {
    const alone = draw(make(7, 'list:503@30%'), 50);
    const faults = make(7, 'list:503@30%', 'list:latency=1s@50%');
    expect(draw(faults, 50)).to.deep.equal(alone);
  });

  it('add up latencies, and let the first of the other effects act', () => {
    const faults = make(
      1,
      'list:latency=1s',
      'list:reset@1x',
      '*:latency=500ms',
      'list:garbage@1x',
    );
    expect(faults.plan('list')).to.deep.include({
      latency: 1500,
      outcome: {kind: 'reset'},
    });
    // What the first one displaced is not used up.
    expect(faults.plan('list').outcome).to.deep.equal({kind: 'garbage'});
    expect(faults.plan('list').outcome).to.equal(undefined);
  });

  it('start over after a reset', () => {
    const faults = make(7, 'list:503@30%');
    const first = draw(faults, 20);
    faults.add('*:reset');
    faults.reset();
    expect(draw(faults, 20)).to.deep.equal(first);
    expect(faults.list()).to.have.length(1);
  });
});
