import {expect} from 'chai';
import {parseDuration} from '../../src/cli/flags.js';
import {AppError} from '../../src/errors.js';

describe('parseDuration', () => {
  const durations: Record<string, number> = {
    '500ms': 500,
    '10s': 10_000,
    '1m30s': 90_000,
    '1h 30m': 5_400_000,
    '1.5h': 5_400_000,
    '2d': 172_800_000,
    '1d12h': 129_600_000,
  };
  for (const [text, milliseconds] of Object.entries(durations)) {
    it(`accepts ${text}`, () => {
      expect(parseDuration(text, '--timeout')).to.equal(milliseconds);
    });
  }

  for (const text of [
    '',
    '10',
    '1m30',
    '30 1m',
    '-1s',
    '1m-30s',
    '1.2.3s',
    '5x',
    '1s5x',
    '0s',
    'm',
    '1m,30s',
  ]) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(() => parseDuration(text, '--timeout')).to.throw(AppError, 'is not a duration');
    });
  }
});
