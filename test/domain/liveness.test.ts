import {expect} from 'chai';
import fc from 'fast-check';
import {connectorStatus, statusBounds} from '../../src/domain/liveness.js';

const interval = fc.integer({min: 1, max: 86_400});
const time = fc.integer({min: 0, max: 4e12});
const rank = ['online', 'stale', 'offline'];

describe('the status of a connector', () => {
  it('is "never" before the first heartbeat, at any time', () => {
    fc.assert(
      fc.property(time, interval, (now, seconds) => {
        expect(connectorStatus(null, now, seconds)).to.equal('never');
      }),
    );
  });

  it('is online up to 2 intervals, stale up to 10, then offline', () => {
    const at = (age: number) => connectorStatus(1_000_000, 1_000_000 + age, 60);
    expect([0, 120_000].map(at)).to.deep.equal(['online', 'online']);
    expect([120_001, 600_000].map(at)).to.deep.equal(['stale', 'stale']);
    expect([600_001, 1e12].map(at)).to.deep.equal(['offline', 'offline']);
  });

  it('agrees with statusBounds', () => {
    fc.assert(
      fc.property(time, fc.integer({min: -1000, max: 1e7}), interval, (now, age, seconds) => {
        const {onlineSince, staleSince} = statusBounds(now, seconds);
        const at = now - age;
        const judged = at >= onlineSince ? 'online' : at >= staleSince ? 'stale' : 'offline';
        expect(connectorStatus(at, now, seconds)).to.equal(judged);
      }),
    );
  });

  it('is online for a heartbeat in the future, after the clock was set back', () => {
    fc.assert(
      fc.property(time, time, interval, (now, ahead, seconds) => {
        expect(connectorStatus(now + ahead, now, seconds)).to.equal('online');
      }),
    );
  });

  it('never improves without a heartbeat', () => {
    fc.assert(
      fc.property(time, time, time, interval, (last, first, more, seconds) => {
        const status = (now: number) => rank.indexOf(connectorStatus(last, now, seconds));
        expect(status(first + more)).to.be.at.least(status(first));
      }),
    );
  });

  it('is online again after any late heartbeat', () => {
    fc.assert(
      fc.property(time, interval, (now, seconds) => {
        expect(connectorStatus(now, now, seconds)).to.equal('online');
      }),
    );
  });
});
