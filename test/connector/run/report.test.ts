import {expect} from 'chai';
import type {HeartbeatReading} from '../../../src/client/types.js';
import {HeartbeatReport} from '../../../src/connector/run/report.js';
import {
  acceptedStatus,
  failingStatus,
  renderHeartbeatLine,
  renderShared,
} from '../../../src/connector/run/view.js';
import {AppError} from '../../../src/errors.js';
import {fakeIo} from '../../support/process/io.js';
import {skippingClock} from '../../support/time/skipping-clock.js';

// Made once: its stack costs more than all else here.
const away = new AppError('unavailable', 'away.');

/** A log with a clock that the test controls, and its lines without their timestamps. */
function testLog() {
  const lines: string[] = [];
  const {clock, pass} = skippingClock();
  const error = (line: string) => {
    expect(line).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /);
    lines.push(line.slice(25));
  };
  const run = {command: [], flags: {}, io: fakeIo({error})};
  const log = new HeartbeatReport(undefined, run, clock);
  return {
    lines,
    pass: (seconds: number) => pass(seconds * 1000),
    accepted: () => log.accepted('con_1', {raw: {}} as HeartbeatReading, 0),
    failed: () => log.failed(away, 1000),
    refused: (error: AppError) => log.refused(error, 30_000),
  };
}

const day = 24 * 60 * 60;

describe('the heartbeat log', () => {
  it('writes one line for the first failure and one for the recovery', () => {
    const {lines, pass, accepted, failed} = testLog();
    accepted();
    pass(60);
    for (let count = 0; count < 3; count += 1) {
      failed();
      pass(10);
    }
    accepted();
    accepted();
    expect(lines).to.deep.equal([
      'failing: away; trying again in 1s (1 failure, last success 60s ago)',
      'accepted again after 30s and 3 failures',
    ]);
  });

  it('writes each refusal once, with the hint, until heartbeats are accepted', () => {
    const {lines, pass, accepted, refused} = testLog();
    const page = new AppError('auth', 'a page', {status: 403, hint: 'Look at the proxy.'});
    for (let round = 0; round < 3; round += 1) {
      refused(page);
      pass(30);
      refused(new AppError('auth', 'unknown', {status: 401, code: 'key_unknown'}));
      pass(30);
    }
    accepted();
    refused(page);
    const first =
      'refused: a page; trying again in 30s, and until it is accepted\n  Look at the proxy.';
    expect(lines).to.deep.equal([
      first,
      'refused: unknown; trying again in 30s, and until it is accepted',
      'accepted again after 3m and 6 failures',
      first,
    ]);
  });

  it('summarizes a day-long outage every 15 minutes, in 96 lines instead of 86,400', () => {
    const {lines, pass, failed} = testLog();
    for (let count = 0; count < day; count += 1) {
      failed();
      pass(1);
    }
    expect(lines).to.have.length(96);
    expect(lines[0]).to.equal('failing: away; trying again in 1s (1 failure, no success yet)');
    const counts = lines.map((line) => /\(([\d,]+) failures?/.exec(line)?.[1]);
    expect(counts.slice(0, 3)).to.deep.equal(['1', '901', '1,801']);
  });

  it('stays short when every other heartbeat fails', () => {
    const {lines, pass, accepted, failed} = testLog();
    for (let count = 0; count < day / 2; count += 1) {
      failed();
      pass(1);
      accepted();
      pass(1);
    }
    expect(lines).to.have.length.below(220);
    expect(lines[1]).to.equal('accepted again after 1s and 1 failure');
  });

  it('reports a new outage immediately after a long time without failures', () => {
    const {lines, pass, accepted, failed} = testLog();
    for (let count = 0; count < day; count += 1) {
      failed();
      pass(1);
    }
    accepted();
    pass(day);
    const before = lines.length;
    failed();
    pass(60);
    failed();
    expect(lines.length - before).to.equal(1);
  });
});

describe('a line about heartbeats', () => {
  const at = new Date('2026-07-01T12:00:00Z');
  const time = '2026-07-01T12:00:00.000Z';

  it('says what the service reports, and when the next one follows', () => {
    const bare = {raw: {}} as HeartbeatReading;
    const full = {...bare, status: 'on\x1b', lastHeartbeatAt: at, nextHeartbeatSeconds: 30};
    expect(renderHeartbeatLine('a', bare)).to.equal('a  heartbeat accepted');
    expect(renderHeartbeatLine('a', full)).to.equal(`a  on\\x1b  at ${time}  next within 30s`);
    expect(renderHeartbeatLine('a', bare, 1500)).to.equal(
      'a  heartbeat accepted  next within 1.5s',
    );
  });

  it('names the connector, the time and what is wrong', () => {
    expect(acceptedStatus('a\x1b', at)).to.equal(`Heartbeats of a\\x1b accepted since ${time}`);
    expect(failingStatus(new Error('no\x1b'), at)).to.equal(`Failing since ${time}: no\\x1b`);
    expect(renderShared(at, 'a', false)).to.equal(
      `${time} no longer shared: no other process sends heartbeats for a`,
    );
    expect(renderShared(at, 'a', true)).to.match(
      /^2\S+ shared: another process also sends heartbeats for a, with .* it\. Stop one of the two\. .* FILE$/,
    );
  });
});
