import {expect} from 'chai';
import {deriveHeapLimits} from '../../src/system/heap.js';

const mebibyte = 1024 * 1024;

describe('the limits of the heap', () => {
  // `heap_size_limit` of each version with --max-old-space-size=64, and of the first with 1024.
  for (const [nodeVersion, options, limit, total] of [
    ['20.19.0', '', 112, 64],
    ['22.23.3', '', 112, 64],
    ['24.21.0', '', 256, 64],
    ['26.10.0', '', 160, 64],
    ['20.19.0', '', 1072, 1024],
    ['24.21.0', '--max-semi-space-size=16', 112, 64],
    ['24.21.0', '--max_semi_space_size 16', 112, 64],
    ['24.21.0', '--max-semi-space-size=0', 256, 64],
  ] as const) {
    it(`are those of the old generation with Node.js ${nodeVersion} ${options} and ${limit} MiB`, () => {
      const limits = deriveHeapLimits({limit: limit * mebibyte, nodeVersion, options});
      expect(limits.total).to.equal(total * mebibyte);
      expect(limits.records).to.be.within(total * mebibyte * 0.4, total * mebibyte * 0.7);
    });
  }

  it('leave some room for records in the smallest heap', () => {
    const {records} = deriveHeapLimits({limit: 1, nodeVersion: '30.0.0', options: ''});
    expect(records).to.be.within(2 * mebibyte, 3 * mebibyte);
  });
});
