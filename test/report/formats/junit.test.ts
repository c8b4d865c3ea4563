import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect} from 'chai';
import {junitReport} from '../../../src/report/formats/junit.js';
import type {Report} from '../../../src/report/report.js';
import {isInstalled} from '../../support/notice.js';
import {root} from '../../support/sources.js';
import {everyStatus, finding, reportOf, withDetails} from '../../support/values/report.js';

const schema = join(root, 'test', 'support', 'junit.xsd');
const render = (report: Report) => junitReport(report);
const validate = (xml: string) =>
  spawnSync('xmllint', ['--noout', '--schema', schema, '-'], {encoding: 'utf8', input: xml});

describe('a JUnit report', () => {
  if (isInstalled('xmllint')) {
    for (const [what, report] of Object.entries({everyStatus, withDetails, empty: reportOf([])})) {
      it(`conforms to the schema: ${what}`, () => {
        const {status, stderr} = validate(render(report));
        expect(stderr).to.equal('- validates\n');
        expect(status).to.equal(0);
      });
    }
  }

  it('counts failures, errors and skipped cases, and distinguishes them', () => {
    const xml = render(everyStatus);
    expect(xml).to.match(/<testsuite [^>]*tests="8" failures="3" errors="1" [^>]*skipped="1"/);
    expect(xml.match(/<failure /g)).to.have.length(3);
    expect(xml.match(/<error /g)).to.have.length(1);
    expect(xml.match(/<skipped /g)).to.have.length(1);
  });

  it('has one case per finding, with the check as its class', () => {
    const xml = render(reportOf([finding('pass', {id: 'expected', subject: 'web-1'})]));
    expect(xml).to.include('<testcase classname="expected" name="web-1"/>');
  });

  it('shows the details of what fails, warns, is observed or could not run, escaped', () => {
    const shown = render(withDetails);
    expect(shown.match(/curl -i /g)).to.have.length(4);
    expect(shown.match(/reference/g)).to.have.length(4);
    expect(shown).not.to.include('holds');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
    expect(shown).not.to.match(/[\u0000-\u0009\u001b]/);
    expect(shown).not.to.include('<script');
    const instance = finding('fail', {rule: 'expected', details: {id: 'con_details'}});
    expect(render(reportOf([instance]))).not.to.include('con_details');
  });
});
