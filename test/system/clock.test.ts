import {expect} from 'chai';
import {systemClock} from '../../src/system/clock.js';

const minute = 60_000;
const hour = 60 * minute;

describe('the clock', () => {
  it('ends a wait immediately when the signal aborts, and starts none after it', async () => {
    const stop = new AbortController();
    const wait = systemClock.wait(hour, stop.signal);
    stop.abort();
    await wait;
    await systemClock.wait(hour, stop.signal);
    expect(systemClock.now()).to.be.below(hour);
  });

  it('waits longer than a timer of Node.js can', async () => {
    const stop = new AbortController();
    let isOver = false;
    const wait = systemClock.wait(60 * 24 * hour, stop.signal).then(() => (isOver = true));
    await systemClock.wait(20);
    expect(isOver).to.equal(false);
    stop.abort();
    await wait;
  });

  it('ignores changes of the system time', async () => {
    const real = Date.now;
    const before = systemClock.now();
    try {
      Date.now = () => real() + 365 * 24 * hour;
      expect(systemClock.now() - before).to.be.below(minute);
      Date.now = () => real() - 365 * 24 * hour;
      expect(systemClock.now()).to.be.at.least(before);
    } finally {
      Date.now = real;
    }
  });
});
