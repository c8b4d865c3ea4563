import {expect} from 'chai';
import {
  countFindings,
  type Finding,
  type FindingStatus,
  verdictOf,
} from '../../../src/domain/check/findings.js';

const finding = (status: FindingStatus): Finding => ({
  id: 'check',
  subject: 'fleet',
  status,
  message: '',
});

describe('the verdict on findings', () => {
  const cases: readonly (readonly [readonly FindingStatus[], string])[] = [
    [['pass', 'pass'], 'pass'],
    [['pass', 'info', 'skip'], 'pass'],
    [['pass', 'warn'], 'warn'],
    [['pass', 'warn', 'fail'], 'fail'],
    [['pass', 'fail', 'error'], 'error'],
    [[], 'empty'],
    [['skip', 'skip'], 'empty'],
    [['info'], 'empty'],
  ];
  for (const [statuses, verdict] of cases) {
    it(`is ${verdict} for ${statuses.join(', ') || 'no finding'}`, () => {
      expect(verdictOf(countFindings(statuses.map(finding)))).to.equal(verdict);
    });
  }
});
