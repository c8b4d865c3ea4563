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
    };
    for (const [text, expected] of Object.entries(durations)) {
      expect(readDuration(text), text).to.equal(expected);
    }
    expect(readDuration('1m 30s')).to.equal(90_000);
  });

  for (const text of ['', '10', '0s', '-5s', '5 fortnights', '10s!', 's', '1..5s', '1m,30s']) {
    it(`is not "${text}"`, () => {
      expect(readDuration(text)).to.equal(undefined);
    });
  }
});
