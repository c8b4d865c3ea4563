import {expect} from 'chai';
import {type Backoff, pauseBefore, repeat} from '../../src/domain/backoff.js';

const backoff: Backoff = {first: 500, longest: 8000, jitter: [0.5, 1.5]};
const steady: Backoff = {...backoff, jitter: [1, 1]};

describe('the pause before a repetition', () => {
  it('doubles up to the longest, however many repetitions there were', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 5000].map((repeated) => pauseBefore(repeated, steady, 0));
    expect(pauses).to.deep.equal([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  it('lies between the two bounds of its jitter', () => {
    const pauses = [0, 0.5, 1].map((random) => pauseBefore(1, backoff, random));
    expect(pauses).to.deep.equal([500, 1000, 1500]);
  });

  it('is never shorter than Retry-After, and up to a tenth longer', () => {
    const pauses = [0, 0.5, 1].map((random) => pauseBefore(0, backoff, random, 20_000));
    expect(pauses).to.deep.equal([20_000, 21_000, 22_000]);
  });

  it('is never shorter than the back-off, because services round a Retry-After down to 0', () => {
    expect(pauseBefore(0, steady, 0, 0)).to.equal(500);
    expect(pauseBefore(3, steady, 0, 1000)).to.equal(4000);
  });

  it('is never longer than its limit, not even for a Retry-After', () => {
    expect(pauseBefore(9, {...steady, limit: 6000}, 0, 20_000)).to.equal(6000);
  });
});

describe('the repetition of work', () => {
  it('pauses longer after each failure in a row, until it succeeds', async () => {
    const pauses: number[] = [];
    const left = [{retryAfter: 3000}, {}, {}];
    const result = await repeat(
      async () => {
        const failure = left.shift();
        if (failure !== undefined) throw failure;
        return 'done';
      },
      {
        backoff: steady,
        random: () => 0,
        wait: async (pause) => pauses.push(pause),
        mayRepeat: (_, repeated, pause) => pauses.length === repeated && pause >= 500,
      },
    );
    expect(result).to.equal('done');
    expect(pauses).to.deep.equal([3000, 1000, 2000]);
  });
});
