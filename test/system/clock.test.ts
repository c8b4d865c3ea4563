import {expect} from 'chai';
import {createClock, systemClock} from '../../src/system/clock.js';

const minute = 60_000;
const hour = 60 * minute;

/** A simulated machine; `sleeps` is the time that it is suspended during each pause. */
function machine(sleeps: readonly number[] = [], bootGrain = 10) {
  let awake = 5000;
  let asleep = 0;
  const pauses: number[] = [];
  const clock = createClock({
    awake: () => awake,
    sinceBoot: () => Math.floor((awake + asleep + 12_345) / bootGrain) * bootGrain,
    async sleep(milliseconds) {
      asleep += sleeps[pauses.length] ?? 0;
      pauses.push(milliseconds);
      awake += milliseconds;
    },
  });
  return {clock, pauses, run: (milliseconds: number) => (awake += milliseconds)};
}

const never = new AbortController().signal;

describe('the clock', () => {
  it('splits a wait into slices', async () => {
    const {clock, pauses} = machine();
    await clock.wait(12_000, never);
    expect(pauses).to.deep.equal([5000, 5000, 2000]);
    expect(clock.now()).to.equal(12_000);
  });

  it('counts the time that a laptop is suspended, and ends the wait within a slice after it wakes up', async () => {
    const {clock, pauses} = machine([0, 8 * hour]);
    await clock.wait(10 * minute, never);
    expect(pauses).to.deep.equal([5000, 5000]);
    expect(clock.now()).to.be.closeTo(8 * hour + 10_000, 10);
  });

  it('keeps waiting after a suspension that is shorter than the wait', async () => {
    const {clock, pauses} = machine([5 * minute]);
    await clock.wait(10 * minute, never);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).to.be.closeTo(5 * minute, 10);
  });

  it('never goes back or ends a wait early when the time since boot is in whole seconds', async () => {
    const {clock, run} = machine([3 * minute], 1000);
    await clock.wait(1000, never);
    let before = clock.now();
    for (let step = 0; step < 5000; step += 1) {
      run(7);
      const now = clock.now();
      expect(now).to.be.at.least(before);
      before = now;
    }
    const exact = machine([], 1000);
    await exact.clock.wait(1234, never);
    expect(exact.pauses).to.deep.equal([1234]);
  });

  it('ends a wait immediately when the signal aborts, and starts none after it', async () => {
    const stop = new AbortController();
    const wait = systemClock.wait(hour, stop.signal);
    stop.abort();
    await wait;
    await systemClock.wait(hour, stop.signal);
    expect(systemClock.now()).to.be.below(hour);
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
