import {expect} from 'chai';
import {conformanceReport} from '../../../src/conformance/command/report.js';
import {renderConformance} from '../../../src/conformance/command/text.js';
import type {Finding} from '../../../src/domain/check/findings.js';
import {noColors} from '../../../src/terminal/palette.js';

const details = {
  level: 'should',
  source: 'RFC 9111 §5.2.2.5',
  holds: false,
  reference: '`Cache-Control: no-store` on every response that holds a token or a key',
  curl: `curl -i -X POST ${'https://connectors.example/'.repeat(5)}`,
};
const findings: Finding[] = [
  {id: '4.1/creates', subject: 'It creates', status: 'pass', message: '201', details},
  {
    id: '4.1/not-stored',
    subject: 'The response with the token has `Cache-Control: no-store`, whatever its status is',
    status: 'fail',
    message: 'the response has no `Cache-Control: no-store`, so a cache may keep the token',
    details,
  },
];
const report = conformanceReport(
  {service: 'https://connectors.example', startedAt: new Date(0), strict: false},
  findings,
);

describe('the text of conformance', () => {
  it('has each finding and each of its details on one line', async () => {
    expect(renderConformance(report, noColors).split('\n')).to.deep.equal([
      'ok    4.1/creates              should    201',
      `FAIL  4.1/not-stored           should    ${findings[1]?.message}`,
      `      ${findings[1]?.subject} (${details.source})`,
      `      reference service: ${details.reference}`,
      `      ${details.curl}`,
      '',
      '1 hold, 1 fail, 0 warn, 0 skipped, 0 observed',
      '',
    ]);
  });
});
