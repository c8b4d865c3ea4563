import {expect} from 'chai';
import {systemClock} from '../../src/system/clock.js';

const hour = 3_600_000;

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
});
