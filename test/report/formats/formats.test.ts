import {spawnSync} from 'node:child_process';
import {expect} from 'chai';
import {jsonReport} from '../../../src/report/formats/json.js';
import {markdownReport} from '../../../src/report/formats/markdown.js';
import {prometheusReport} from '../../../src/report/formats/prometheus.js';
import {textReport} from '../../../src/report/formats/text.js';
import {noColors} from '../../../src/terminal/palette.js';
import {isInstalled} from '../../support/notice.js';
import {everyStatus, finding, hostile, reportOf} from '../../support/values/report.js';

describe('a JSON report', () => {
  it('has the version of its schema, the verdict, and every finding unchanged', () => {
    const report = JSON.parse(jsonReport(everyStatus));
    expect(report).to.include({schema: 1, command: 'connector check', verdict: 'error'});
    expect(report.findings).to.have.length(8);
    expect(report.findings.at(-1).subject).to.equal(hostile);
  });

  it('is an object with an empty list when there is no finding', () => {
    const report = JSON.parse(jsonReport(reportOf([])));
    expect(report.findings).to.deep.equal([]);
    expect(report.verdict).to.equal('empty');
  });
});

describe('a Markdown report', () => {
  it('is a table with the worst findings first, each on one line', () => {
    const lines = markdownReport(everyStatus).split('\n');
    expect(lines).to.include('1 error, 3 fail, 1 warn, 1 skip, 1 info, 1 pass');
    const rows = lines.filter((line) => line.startsWith('| '));
    expect(rows).to.have.length(2 + 8);
    expect(rows[2]).to.match(/^\| \*\*error\*\* /);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g), row).to.have.length(5);
  });

  it('escapes texts of others, so that none becomes markup, HTML or a mention', () => {
    const table = markdownReport(reportOf([finding('fail', {subject: hostile})]));
    expect(table).not.to.match(/<script|@team|(?<!\\)`code/);
  });

  it('escapes the characters of markup, and loses none', () => {
    const table = markdownReport(reportOf([finding('fail', {subject: 'a*b < c & c > d'})]));
    expect(table).to.include('| a\\*b &lt; c &amp; c &gt; d |');
  });
});

describe('a report for Prometheus', () => {
  let output: string;
  before(async () => {
    output = await prometheusReport(everyStatus);
  });

  if (isInstalled('promtool')) {
    it('passes promtool check metrics', () => {
      const {status, stdout, stderr} = spawnSync('promtool', ['check', 'metrics'], {
        encoding: 'utf8',
        input: output,
      });
      expect(`${stdout}${stderr}`).to.equal('');
      expect(status).to.equal(0);
    });
  }

  it('keeps its help texts, which a file of an older version beside it must share', () => {
    expect(output.match(/(?<=^# HELP connectorctl_check_).*$/gm)).to.deep.equal([
      'success 1 if the check was completed and no rule failed',
      'timestamp_seconds When the check began',
      'duration_seconds How long the check took',
      'rule_success Whether a rule holds',
      'rule_value The figure that a rule compared',
      'findings Connectors with a finding, by check',
      'finding A connector with a finding; at most 1,000 of them',
    ]);
  });

  it('reports whether all rules hold, and which do', () => {
    const service = 'service="https://connectors.example"';
    expect(output).to.include(`connectorctl_check_success{${service}} 0\n`);
    for (const [rule, value] of Object.entries({'max-offline': 1, 'max-never': 0})) {
      const line = `connectorctl_check_rule_success{rule="${rule}",${service}} ${value}\n`;
      expect(output).to.include(line);
    }
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
    const metrics = await prometheusReport(reportOf(many));
    expect(metrics.match(/^connectorctl_check_finding\{/gm)).to.have.length(1000);
    expect(metrics).to.include(
      'connectorctl_check_findings{check="offline",service="https://connectors.example"} 1500\n',
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

  it('escapes control characters of others', () => {
    const output = textReport(everyStatus, noColors);
    expect(output).not.to.match(/[^\n\x20-\u{10ffff}]/u);
  });
});
