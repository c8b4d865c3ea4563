import {expect} from 'chai';
import {readDuration} from '../../src/domain/duration.js';

describe('a duration', () => {
  it('is a number with a unit, or several of them', () => {
    const durations = {
      '500ms': 500,
      '10s': 10_000,
      '1.5h': 5_400_000,
      '1m30s': 90_000,
      '2 d': 172_800_000,
      '2d': 172_800_000,
      '1d12h': 129_600_000,
      '1h 30m': 5_400_000,
      '1.0005s': 1001,
      '99.6ms': 100,
    };
    for (const [text, expected] of Object.entries(durations)) {
      expect(readDuration(text), text).to.equal(expected);
    }
  });

  const others = ['', '10', '0s', '0.4ms', '-5s', '5 fortnights', '10s!', 's', '1..5s', '1m,30s'];
  const sums = ['1m30', '30 1m', '1m-30s', '1.2.3s', '1s5x'];
  for (const text of [...others, ...sums]) {
    it(`is not "${text}"`, () => {
      expect(readDuration(text)).to.equal(undefined);
    });
  }
});
