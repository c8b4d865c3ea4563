import {expect} from 'chai';
import fc from 'fast-check';
import {statusOf} from '../../src/domain/liveness.js';

const interval = fc.integer({min: 1, max: 86_400});
const time = fc.integer({min: 0, max: 4e12});
const rank: string[] = ['online', 'stale', 'offline'];

/** The status of a connector whose key is not revoked. */
const status = (lastHeartbeatAt: number | null, now: number, seconds: number) =>
  statusOf({revokedAt: null, lastHeartbeatAt}, now, seconds);

describe('the status of a connector', () => {
  it('is "never" before the first heartbeat, at any time', () => {
    fc.assert(
      fc.property(time, interval, (now, seconds) => {
        expect(status(null, now, seconds)).to.equal('never');
      }),
    );
  });

  it('is online up to 2 intervals, stale up to 10, then offline', () => {
    const at = (age: number) => status(1_000_000, 1_000_000 + age, 60);
    expect([0, 120_000].map(at)).to.deep.equal(['online', 'online']);
    expect([120_001, 600_000].map(at)).to.deep.equal(['stale', 'stale']);
    expect([600_001, 1e12].map(at)).to.deep.equal(['offline', 'offline']);
  });

  it('is online for a heartbeat in the future, after the clock was set back', () => {
    fc.assert(
      fc.property(time, time, interval, (now, ahead, seconds) => {
        expect(status(now + ahead, now, seconds)).to.equal('online');
      }),
    );
  });

  it('never improves without a heartbeat', () => {
    fc.assert(
      fc.property(time, time, time, interval, (last, first, more, seconds) => {
        const rankAt = (now: number) => rank.indexOf(status(last, now, seconds));
        expect(rankAt(first + more)).to.be.at.least(rankAt(first));
      }),
    );
  });

  it('is online again after any late heartbeat', () => {
    fc.assert(
      fc.property(time, interval, (now, seconds) => {
        expect(status(now, now, seconds)).to.equal('online');
      }),
    );
  });
});
