import {expect} from 'chai';
import {conformanceReport, renderConformance} from '../../../src/conformance/command/text.js';
import type {Finding} from '../../../src/domain/check/findings.js';
import {noColors} from '../../../src/terminal/escape.js';

const details = {
  level: 'should',
  source: 'RFC 9111 §5.2.2.5',
  holds: false,
  reference: '`Cache-Control: no-store` on every response that holds a token or a key',
  curl: `curl -i -X POST ${'https://connectors.example/'.repeat(5)}`,
};
const finding = (id: string, status: Finding['status'], level = 'should'): Finding => ({
  ...{id, status, subject: `Subject of ${id}`, message: `${status} of ${id}`},
  details: {...details, level},
});
const report = conformanceReport(
  {service: 'https://connectors.example', startedAt: new Date(0), strict: false},
  [
    finding('2/id', 'fail', 'must'),
    finding('4.1/creates', 'pass', 'must'),
    finding('4.1/lifetime', 'info', 'open'),
    finding('4.1/not-stored', 'warn'),
    finding('4.2/retries', 'skip', 'open'),
    finding('4.4/reads', 'error', 'must'),
    finding('4.5/accepts', 'skip', 'must'),
    finding('4.5/ages', 'info'),
    finding('5/scheme', 'error', 'open'),
  ],
);
const linesOf = (showsOpen: boolean) => renderConformance(report, noColors, showsOpen).split('\n');

describe('the text of conformance', () => {
  it('has each finding and each of its details on one line, what failed last, and named in the last line', () => {
    const below = (id: string) => [
      `      Subject of ${id} (${details.source})`,
      `      reference service: ${details.reference}`,
      `      ${details.curl}`,
    ];
    expect(linesOf(false)).to.deep.equal([
      'ok    4.1/creates              must      pass of 4.1/creates',
      'skip  4.5/accepts              must      skip of 4.5/accepts',
      'info  4.5/ages                 should    info of 4.5/ages',
      'warn  4.1/not-stored           should    warn of 4.1/not-stored',
      ...below('4.1/not-stored'),
      'ERR   4.4/reads                must      error of 4.4/reads',
      ...below('4.4/reads'),
      'ERR   5/scheme                 open      error of 5/scheme',
      ...below('5/scheme'),
      'FAIL  2/id                     must      fail of 2/id',
      ...below('2/id'),
      '',
      '1 hold, 1 fail, 1 warn, 2 failed to run, 2 skipped, 2 observed. Failed: 2/id, 4.4/reads, 5/scheme. Not seen: 4.5/ages (info of 4.5/ages) (2 more with --open-points)',
      '',
    ]);
  });

  it('shows the open points on request, without a word about the flag', () => {
    const shown = linesOf(true);
    expect(shown.slice(1, 3)).to.deep.equal([
      'info  4.1/lifetime             open      info of 4.1/lifetime',
      `      reference service: ${details.reference}`,
    ]);
    expect(shown.join('')).to.include('skip of 4.2/retries').and.not.include('--open-points');
  });
});
