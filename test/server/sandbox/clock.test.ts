import {expect} from 'chai';
import {VirtualClock} from '../../../src/server/sandbox/clock.js';
import {Sandbox} from '../../../src/server/sandbox/sandbox.js';

describe('the virtual clock', () => {
  let real = 0;
  const make = (mode: 'frozen' | 'running', rate = 1) =>
    new VirtualClock(mode, rate, 1_000_000, () => real);

  beforeEach(() => {
    real = 500;
  });

  it('stands still when it is frozen, until it is advanced', () => {
    const clock = make('frozen');
    real += 60_000;
    expect(clock.now()).to.equal(1_000_000);
    clock.advance(600_000);
    expect(clock.now()).to.equal(1_600_000);
    expect(clock.realSeconds(60)).to.equal(60);
  });

  it('passes a minute per second at a rate of 60, and converts a virtual minute to real seconds', () => {
    const clock = make('running', 60);
    real += 1000;
    expect(clock.now()).to.equal(1_060_000);
    expect(clock.realSeconds(60)).to.equal(1);
  });

  it('can be advanced while it runs', () => {
    const clock = make('running');
    clock.advance(5000);
    real += 1.7;
    expect(clock.now()).to.equal(1_005_001);
  });
});

describe('the clock of a sandbox', () => {
  for (const [what, options, isRepeatable] of [
    ['a seed', {seed: 1}, true],
    ['a seed and a clock that runs', {seed: 1, clock: 'running'}, false],
    ['a seed and a rate', {seed: 1, rate: 2}, false],
    ['a frozen clock', {clock: 'frozen'}, false],
  ] as const) {
    it(`starts ${isRepeatable ? 'in 2030' : 'now'} with ${what}`, () => {
      const {clock} = new Sandbox(options);
      expect(clock.now() >= Date.UTC(2030, 0, 1)).to.equal(isRepeatable);
    });
  }
});
