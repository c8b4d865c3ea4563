import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect} from 'chai';
import {junitReport} from '../../../src/report/formats/junit.js';
import type {Report} from '../../../src/report/report.js';
import {isInstalled} from '../../support/notice.js';
import {root} from '../../support/sources.js';
import {everyStatus, finding, reportOf} from '../../support/values/report.js';

const schema = join(root, 'test', 'support', 'junit.xsd');
const render = (report: Report) => junitReport(report);
const validate = (xml: string) =>
  spawnSync('xmllint', ['--noout', '--schema', schema, '-'], {encoding: 'utf8', input: xml});

describe('a JUnit report', () => {
  if (isInstalled('xmllint')) {
    for (const [what, report] of Object.entries({everyStatus, empty: reportOf([])})) {
      it(`conforms to the schema: ${what}`, () => {
        const {status, stderr} = validate(render(report));
        expect(stderr).to.equal('- validates\n');
        expect(status).to.equal(0);
      });
    }
  }

  it('has a class and a name for each finding that no other one has, as readers compare cases by them', () => {
    const edge = (id: string, rule = 'max-offline') =>
      finding('fail', {id: 'offline', rule, subject: 'edge', details: {id}});
    const missing = finding('fail', {id: 'missing', rule: 'expected', subject: 'web-404'});
    const rule = finding('fail', {id: 'expected', subject: 'fleet'});
    const fleet = finding('pass', {id: 'expected', rule: 'expected', subject: 'fleet'});
    const findings = [edge('A'), edge('B'), edge('A', 'expected'), missing, missing, rule, fleet];
    const cases = [...render(reportOf(findings)).matchAll(/classname="(.*?)" name="(.*?)"/g)];
    expect(cases.map(([, ...names]) => names.join(' '))).to.deep.equal([
      'max-offline.offline edge (A)',
      'max-offline.offline edge (B)',
      'expected.offline edge (A)',
      'expected.missing web-404',
      'expected.missing web-404 #2',
      'expected fleet',
      'expected.expected fleet',
    ]);
  });

  it('has a suite that another service, --name or inventory does not share', () => {
    const xml = render(reportOf([], {scope: {name: 'web-*', inventory: 'inv.csv'}}));
    expect(xml).to.include('name="connector check https://connectors.example web-* inv.csv"');
  });
});
