import {expect} from 'chai';
import type {HeartbeatReading} from '../../../src/client/types.js';
import {HeartbeatReport} from '../../../src/connector/run/report.js';
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
