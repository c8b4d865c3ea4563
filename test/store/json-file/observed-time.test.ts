import {expect} from 'chai';
import fc from 'fast-check';
import {ObservedTime} from '../../../src/store/json-file/observed-time.js';

const observations = fc.array(fc.record({at: fc.nat(50), order: fc.nat(10)}), {maxLength: 40});

describe('observed time', () => {
  it('is the latest time seen since a token was made', () => {
    fc.assert(
      fc.property(observations, (seen) => {
        const observed = new ObservedTime();
        for (const {at, order} of seen) observed.observe(at, order);
        for (let order = 0; order <= 11; order += 1) {
          const since = seen.filter((one) => one.order >= order).map(({at}) => at);
          expect(observed.since(order)).to.equal(Math.max(...since));
        }
      }),
    );
  });

  it('is the same when it is written down and observed again, in any order', () => {
    fc.assert(
      fc.property(observations, (seen) => {
        const observed = new ObservedTime();
        for (const {at, order} of seen) observed.observe(at, order);
        const copy = new ObservedTime();
        for (const {at, order} of [...observed.entries].reverse()) copy.observe(at, order);
        expect(copy.entries).to.deep.equal(observed.entries);
      }),
    );
  });

  it('takes one entry while the clock goes forward, however many tokens are made', () => {
    const observed = new ObservedTime();
    for (let time = 0; time < 1000; time += 1) observed.observe(time, time);
    expect(observed.entries).to.deep.equal([{at: 999, order: 999}]);
    expect(observed.newest).to.equal(999);
  });

  it('takes one entry more after a set-back', () => {
    const observed = new ObservedTime();
    observed.observe(1000, 5);
    for (let time = 0; time < 100; time += 1) observed.observe(time, 6 + time);
    expect(observed.entries).to.deep.equal([
      {at: 1000, order: 5},
      {at: 99, order: 105},
    ]);
    expect(observed.newest).to.equal(99);
  });
});
