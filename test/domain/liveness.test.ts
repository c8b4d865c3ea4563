import {expect} from 'chai';
import {statusBounds, statusOf} from '../../src/domain/liveness.js';

/** The status, a time after the last heartbeat, with an interval of a minute. */
const statusAfter = (age: number) =>
  statusOf({revokedAt: null, lastHeartbeatAt: 1_000_000}, statusBounds(1_000_000 + age, 60));

describe('the status of a connector', () => {
  it('is "never" before the first heartbeat', () => {
    expect(statusOf({revokedAt: null, lastHeartbeatAt: null}, statusBounds(0, 60))).to.equal(
      'never',
    );
  });

  it('is online up to 2 intervals, stale up to 10, then offline', () => {
    expect([0, 120_000].map(statusAfter)).to.deep.equal(['online', 'online']);
    expect([120_001, 600_000].map(statusAfter)).to.deep.equal(['stale', 'stale']);
    expect([600_001, 1e12].map(statusAfter)).to.deep.equal(['offline', 'offline']);
  });

  it('is online for a heartbeat in the future, after the clock was set back', () => {
    expect([-1, -1e12].map(statusAfter)).to.deep.equal(['online', 'online']);
  });
});
