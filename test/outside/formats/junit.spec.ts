import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith, npmPackage} from '../installed.js';
import {run} from '../run.js';
import {checkFleet} from './fleets.js';

/** Two reports of two fleets, in one directory. */
function twoReports() {
  const at = temporaryDirectory();
  return async () => {
    const inventory = at('inventory.csv');
    writeFileSync(inventory, 'name\nedge\nedge\nweb-404\nweb-404\n');
    const files = [at('a.xml'), at('b.xml')];
    const services: string[] = [];
    for (const file of files)
      services.push(await checkFleet(`junit=${file}`, '--expect', inventory, '--max-offline', '0'));
    return {files, services, merged: at('merged.xml')};
  };
}

/** Five of the eight findings fail: two rules, the connector that is down, and two that are missing. */
const counts = {tests: 8, failures: 5, errors: 0, skipped: 0};

// junitparser 2.8.0 (Debian 12), junitparser/junitparser.py: update_statistics counts what the cases say.
describeWith(['junitparser'], 'a report of JUnit read by junitparser', () => {
  const reports = twoReports();
  const script = `
import json, sys, junitparser
one, other = [junitparser.JUnitXml.fromfile(path) for path in sys.argv[1:]]
counts = lambda x: {key: getattr(x, key) for key in ('tests', 'failures', 'errors', 'skipped')}
said = counts(one)
cases = [(case.classname, case.name, case.time) for suite in one for case in suite]
one.update_statistics()
print(json.dumps({'said': said, 'counted': counts(one), 'cases': cases, 'sum': counts(one + other)}))`;

  it('says the totals that its cases add up to, names none twice, and adds to another', async () => {
    const {files} = await reports();
    const read = JSON.parse(await run('/usr/bin/python3', '-c', script, ...files));
    expect(read.said).to.deep.equal(counts);
    expect(read.counted).to.deep.equal(counts);
    expect(read.sum).to.include({tests: 2 * counts.tests, failures: 2 * counts.failures});
    expect(new Set(read.cases.map(String)).size).to.equal(counts.tests);
    expect(read.cases).to.deep.include.members([
      ['expected.expected', 'edge (c-1)', 0],
      ['expected.expected', 'edge (c-2)', 0],
      ['max-offline.offline', 'edge (c-2)', 0],
      ['expected.missing', 'web-404', 0],
      ['expected.missing', 'web-404 #2', 0],
    ]);
  });
});

describeWith(['junitReportMerger', 'xunitViewer'], 'the reports of two fleets in one', () => {
  const reports = twoReports();

  it('keep both fleets apart when they are merged, and show every finding', async () => {
    const {files, services, merged} = await reports();
    await run(
      process.execPath,
      join(npmPackage('junit-report-merger'), 'cli.js'),
      merged,
      ...files,
    );
    const xml = readFileSync(merged, 'utf8');
    expect(xml).to.include(`tests="${2 * counts.tests}" failures="${2 * counts.failures}"`);
    for (const service of services)
      expect(xml).to.include(`<testsuite name="connector check ${service} `);
    const viewer = join(npmPackage('xunit-viewer'), 'bin', 'xunit-viewer.js');
    const shown = await run(process.execPath, viewer, '-r', merged, '-c', '-o', `${merged}.html`);
    expect(shown.match(/edge \(c-2\)/g)?.length).to.be.at.least(4);
    expect(shown).to.include('web-404 is missing; expected by');
    expect(shown).not.to.include('NaN');
  });
});

// junit-to-ctrf 0.0.14 of npm counts the cases itself.
describeWith(['junitToCtrf'], 'a report of JUnit read by junit-to-ctrf', () => {
  const reports = twoReports();

  it('has the totals that it says, and the message of each finding', async () => {
    const {files, merged} = await reports();
    const reader = join(npmPackage('junit-to-ctrf'), 'dist', 'cli.js');
    await run(process.execPath, reader, files[0] ?? '', '-o', merged);
    const {summary, tests} = JSON.parse(readFileSync(merged, 'utf8')).results;
    const {failures: failed, tests: all} = counts;
    expect(summary).to.include({tests: all, passed: all - failed, failed, skipped: 0});
    const messages = tests.map(({message}: {message?: string}) => message);
    expect(messages.filter(Boolean)).to.have.length(failed);
    expect(messages.join('\n')).to.include('web-404 is missing; expected by');
  });
});
