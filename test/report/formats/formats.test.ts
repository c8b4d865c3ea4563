import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {reportText} from '../../../src/report/files.js';
import {markdownReport} from '../../../src/report/formats/markdown.js';
import {prometheusReport} from '../../../src/report/formats/prometheus.js';
import {textReport} from '../../../src/report/formats/text.js';
import {noColors, sixteenColors} from '../../../src/terminal/escape.js';
import {isInstalled} from '../../support/notice.js';
import {root} from '../../support/sources.js';
import {everyStatus, finding, hostile, reportOf} from '../../support/values/report.js';

describe('a report in each format', () => {
  for (const format of ['text', 'markdown', 'junit', 'nagios'] as const) {
    it(`has every finding, and texts of others escaped: ${format}`, async () => {
      const file = join(root, 'test/report/formats/expected', `${format}.txt`);
      expect(await reportText(format, everyStatus)).to.equal(readFileSync(file, 'utf8'));
    });
  }

  it('has the version of its schema and every finding unchanged as JSON', async () => {
    for (const report of [everyStatus, reportOf([])]) {
      const {startedAt, duration, ...same} = report;
      const times = {started_at: startedAt.toISOString(), duration_seconds: duration / 1000};
      const text = await reportText('json', report);
      expect(JSON.parse(text)).to.deep.equal({schema: 1, ...same, ...times});
      expect(text).to.equal(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    }
  });

  it('says for people that there is no finding', async () => {
    const empty = reportOf([]);
    expect(textReport(empty, noColors)).to.equal('FAIL  nothing was measured\n');
    expect(markdownReport(empty)).to.equal(
      '## connectorctl connector check: nothing measured\n\nnothing was measured\n\n' +
        'Service `https://connectors.example`, 2026-01-02T03:04:05.678Z.\n',
    );
  });

  it('makes no link of a name in Markdown, as GitHub would', () => {
    const named = finding('fail', {subject: 'WWW.a.example https://b.example'});
    expect(markdownReport(reportOf([named]))).to.include(
      '| WWW&#46;a.example https:&#47;&#47;b.example |',
    );
  });

  it('says for people and programs whether the rules hold', async () => {
    for (const [status, color, label, success] of [
      ['pass', '\u001b[32mok  \u001b[39m', 'passed', 1],
      ['warn', '\u001b[33mwarn\u001b[39m', 'passed with warnings', 1],
      ['fail', '\u001b[31mFAIL\u001b[39m', 'failed', 0],
      ['skip', '\u001b[2mskip\u001b[22m', 'nothing measured', 0],
      ['info', '\u001b[2minfo\u001b[22m', 'nothing measured', 0],
    ] as const) {
      const report = reportOf([finding(status)], {service: ''});
      expect(textReport(report, await sixteenColors())).to.equal(`${color}  a ${status}\n`);
      const lines = markdownReport(report).split('\n');
      expect(lines[0]).to.equal(`## connectorctl connector check: ${label}`);
      expect(lines[4]).to.equal('2026-01-02T03:04:05.678Z.');
      expect(await prometheusReport(report)).to.include(`connectorctl_check_success ${success}\n`);
    }
  });
});

describe('a report for Prometheus', () => {
  if (isInstalled('promtool')) {
    it('passes promtool check metrics', async () => {
      const {status, stdout, stderr} = spawnSync('promtool', ['check', 'metrics'], {
        encoding: 'utf8',
        input: await prometheusReport(everyStatus),
      });
      expect(`${stdout}${stderr}`).to.equal('');
      expect(status).to.equal(0);
    });
  }

  it('keeps its help texts, which a file of an older version beside it must share, and has each figure', async () => {
    const output = await prometheusReport(everyStatus);
    expect(output.match(/(?<=^# HELP connectorctl_check_).*$/gm)).to.deep.equal([
      'success 1 if the check was completed and no rule failed',
      'timestamp_seconds When the check began',
      'duration_seconds How long the check took',
      'rule_success Whether a rule holds',
      'rule_value The figure that a rule compared',
      'findings Connectors with a finding, by check',
      'finding A connector with a finding; at most 1,000 of them',
    ]);
    const samples = output.replaceAll('service="https://connectors.example"', 'of');
    const text = hostile.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    expect(samples.match(/(?<=^connectorctl_check_).*$/gm)).to.deep.equal([
      'success{of} 0',
      'timestamp_seconds{of} 1767323045.678',
      'duration_seconds{of} 1.234',
      'rule_success{rule="max-offline",of} 1',
      'rule_success{rule="max-never",of} 0',
      'rule_success{rule="max-stale",of} 1',
      'rule_success{rule="max-age",of} 1',
      'rule_success{rule="service",of} 0',
      'rule_value{rule="max-offline",of} 99.5',
      'rule_value{rule="max-never",of} 3',
      'findings{check="never",of} 1',
      'findings{check="missing",of} 1',
      'finding{check="never",subject="web-1",id="con_1",of} 1',
      `finding{check="missing",subject="${text}",of} 1`,
    ]);
  });

  it('has a series for each of two connectors of one name, and none for what is not evaluated', async () => {
    const twins = ['A', 'B'].map((id) =>
      finding('fail', {id: 'offline', rule: 'max-offline', subject: 'edge', details: {id}}),
    );
    const metrics = await prometheusReport(reportOf([...twins, finding('info', {id: 'revoked'})]));
    for (const id of ['A', 'B'])
      expect(metrics).to.include(`{check="offline",subject="edge",id="${id}",service=`);
    expect(metrics).not.to.include('revoked');
  });

  it('has at most 1,000 series of single findings, and counts them all', async () => {
    const many = Array.from({length: 1500}, (_, index) =>
      finding('fail', {id: 'offline', rule: 'max-offline', subject: `edge-${index}`}),
    );
    const metrics = await prometheusReport(reportOf(many, {scope: {name: 'edge-*'}}));
    expect(metrics.match(/^connectorctl_check_finding\{/gm)).to.have.length(1000);
    expect(metrics).to.include(
      'connectorctl_check_findings{check="offline",service="https://connectors.example",name="edge-*"} 1500\n',
    );
  });
});

describe('a report for people', () => {
  it('has one line per check, and groups the connectors below it', () => {
    const offline = Array.from({length: 27}, (_, index) =>
      finding('fail', {id: 'offline', rule: 'max-offline', message: `edge-${index}`}),
    );
    const output = textReport(
      reportOf([finding('fail', {message: '27 offline'}), ...offline]),
      noColors,
    );
    expect(output).to.equal(
      'FAIL  27 offline\n      edge-0\n      edge-1\n      edge-2\n      edge-3\n      edge-4\n      … 22 more offline (-o json shows all)\n',
    );
  });
});
