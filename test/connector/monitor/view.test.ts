import {expect} from 'chai';
import {baselineSummary, deliveryJson, renderEvents} from '../../../src/connector/monitor/view.js';
import type {MonitorEvent} from '../../../src/domain/check/monitor.js';
import {noColors} from '../../../src/terminal/escape.js';

const began = (number: number): MonitorEvent => ({
  id: `e-${number}`,
  change: 'began',
  at: Date.UTC(2026, 2, 1, 10, 2),
  since: Date.UTC(2026, 2, 1, 10, 0),
  problem: {
    id: 'offline',
    rule: 'max-offline',
    subject: `web-${number}`,
    connectorId: `con_${number}`,
    status: 'fail',
    message: `web-${number} (con_${number}) is offline`,
  },
});

const events = Array.from({length: 2950}, (_, index) => began(index));
const report = {
  service: 'https://x.example',
  summary: '2,950 of 3,000 connectors are offline (98.3 %); required: at most 0',
};

describe('the events of one check', () => {
  const lines = (isTerminal: boolean) =>
    renderEvents(report, events, {palette: noColors, isTerminal}).trimEnd().split('\n');

  it('begin with what is wrong, since when, and how many there are', () => {
    expect(lines(true)[0]).to.equal(
      `2026-03-01T10:02:00.000Z https://x.example: ${report.summary} (2,950 began; since 2026-03-01 10:00 UTC)`,
    );
    expect(deliveryJson(report, events)).to.have.property('headline', lines(true)[0]?.slice(25));
  });

  it('are 50 lines on a terminal, with the number of the others, and all in a file', () => {
    expect(lines(true)).to.have.length(1 + 50 + 1);
    expect(lines(true).at(-1)).to.equal('… 2,900 more (--json shows all)');
    expect(lines(false)).to.have.length(1 + 2950);
  });

  it('are counted on one line at the first check, with five of the connectors', () => {
    expect(baselineSummary(events.slice(3, 10).map(({problem}) => problem))).to.equal(
      'Already wrong: web-3 (con_3) is offline, web-4 (con_4) is offline, web-5 (con_5) is offline, ' +
        'web-6 (con_6) is offline, web-7 (con_7) is offline, … 2 more',
    );
  });
});
