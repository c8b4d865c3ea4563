import {expect} from 'chai';
import {Parser, type Result} from 'tap-parser';
import type {Report} from '../../../src/render/report/report.js';
import {renderTap} from '../../../src/render/report/tap.js';
import {everyStatus, finding, reportOf} from '../../support/report.js';

/** What a parser of the protocol makes of a report. */
function parse(report: Report) {
  const asserts: Result[] = [];
  const parser = new Parser({strict: true});
  parser.on('assert', (result: Result) => asserts.push(result));
  parser.end([...renderTap(report)].join(''));
  return {asserts, results: parser.results};
}

describe('a TAP report', () => {
  it('is read by a parser with the same outcome for each judged finding', () => {
    const {asserts, results} = parse(everyStatus);
    expect(results?.failures?.filter(({tapError}) => tapError !== null)).to.deep.equal([]);
    expect(asserts.map(({ok, skip}) => [ok, skip !== false])).to.deep.equal([
      [true, false],
      [false, false],
      [false, false],
      [true, false],
      [true, true],
      [false, false],
      [false, false],
    ]);
  });

  it('passes when everything passes', () => {
    expect(parse(reportOf([finding('pass'), finding('pass')])).results?.ok).to.equal(true);
  });

  it('does not pass when nothing was measured', () => {
    expect(parse(reportOf([])).results?.ok).to.equal(false);
  });

  it('keeps a text from becoming a directive', () => {
    const {asserts} = parse(reportOf([finding('fail', {subject: 'x # TODO later'})]));
    expect(asserts[0]?.todo).to.equal(false);
    expect(asserts[0]?.name).to.include('# TODO later');
  });
});
