import {spawnSync} from 'node:child_process';
import {expect} from 'chai';
import {noColors} from '../../../src/render/palette.js';
import {renderGithub} from '../../../src/render/report/github.js';
import {renderJsonReport} from '../../../src/render/report/json.js';
import {markdownWithin, renderMarkdown} from '../../../src/render/report/markdown.js';
import {renderPrometheus} from '../../../src/render/report/prometheus.js';
import {renderTextReport} from '../../../src/render/report/text.js';
import {isInstalled} from '../../support/notice.js';
import {everyStatus, finding, hostile, reportOf} from '../../support/report.js';

const text = (chunks: Iterable<string>) => [...chunks].join('');

describe('a JSON report', () => {
  it('has the version of its schema, the verdict, and every finding unchanged', () => {
    const report = JSON.parse(text(renderJsonReport(everyStatus)));
    expect(report).to.include({schema: 1, command: 'connector check', verdict: 'error'});
    expect(report.findings).to.have.length(8);
    expect(report.findings.at(-1).subject).to.equal(hostile);
  });

  it('is an object with an empty list when there is no finding', () => {
    const report = JSON.parse(text(renderJsonReport(reportOf([]))));
    expect(report.findings).to.deep.equal([]);
    expect(report.verdict).to.equal('empty');
  });
});

describe('a report of 10,000 findings', () => {
  it('comes in chunks that are whole lines, none much longer than 64 KiB', () => {
    const many = Array.from({length: 10_000}, () => finding('fail'));
    const chunks = [...renderJsonReport(reportOf(many))];
    const size = chunks.join('').length;
    expect(chunks).to.have.length(Math.floor(size / 65_536) + 1);
    for (const chunk of chunks) expect(chunk).to.match(/\n$/);
  });
});

describe('a Markdown report', () => {
  it('is a table with the worst findings first, each on one line', () => {
    const lines = text(renderMarkdown(everyStatus)).split('\n');
    const rows = lines.filter((line) => line.startsWith('| '));
    expect(rows).to.have.length(2 + 8);
    expect(rows[2]).to.match(/^\| \*\*error\*\* /);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g), row).to.have.length(5);
  });

  it('within a size has the worst findings as whole lines, and how many are left out', () => {
    const many = reportOf(
      Array.from({length: 15_000}, (_, index) =>
        finding(index % 3 === 0 ? 'fail' : 'pass', {subject: `édge-${index}`}),
      ),
    );
    const size = 300_000;
    const cut = markdownWithin(many, size);
    expect(Buffer.byteLength(cut))
      .to.be.at.most(size)
      .and.above(size - 300);
    const rows = cut.split('\n').filter((line) => line.startsWith('| ')).length - 2;
    expect(cut).to.include(`\n\n${15_000 - rows} more findings do not fit here; `);
    expect(cut).to.match(/\| \*\*fail\*\* .*édge.*\|\n\| /);
    expect(markdownWithin(everyStatus, size)).to.equal(text(renderMarkdown(everyStatus)));
    expect(markdownWithin(many, 300)).to.equal('');
  });

  it('escapes texts of others, so that none becomes markup, HTML or a mention', () => {
    const table = text(renderMarkdown(reportOf([finding('fail', {subject: hostile})])));
    expect(table).not.to.match(/<script|@team|(?<!\\)`code/);
  });
});

describe('a report for GitHub Actions', () => {
  const command = /^::(error|warning) title=([^:,]|%3A|%2C)*::.*$/;

  it('annotates failures, errors and warnings in the grammar of workflow commands', () => {
    const lines = text(renderGithub(everyStatus)).trimEnd().split('\n');
    const commands = lines.filter((line) => line.startsWith('::'));
    expect(commands).to.have.length(5);
    for (const line of commands) expect(line).to.match(command);
    expect(lines.at(-1)).to.equal('a pass');
  });

  it('has at most ten annotations, and shows how many more there are', () => {
    const many = Array.from({length: 25}, () => finding('fail'));
    const lines = text(renderGithub(reportOf(many))).split('\n');
    const commands = lines.filter((line) => line.startsWith('::'));
    expect(commands).to.have.length(10);
    expect(commands.at(-1)).to.match(/::16 more findings\.$/);
    const withSummary = text(renderGithub(reportOf(many), true)).split('\n');
    expect(withSummary[9]).to.match(/::16 more findings; see the job summary\.$/);
  });

  it('never prints a text of others as a command', () => {
    const output = text(
      renderGithub(reportOf([finding('pass')], {summary: '::set-env name=x::y'})),
    );
    expect(output).not.to.match(/^::set-env/m);
  });
});

describe('a report for Prometheus', () => {
  const output = text(renderPrometheus(everyStatus));

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

  it('reports whether all rules hold, and which do', () => {
    expect(output).to.include('connectorctl_check_success 0\n');
    expect(output).to.include('connectorctl_check_rule_success{rule="max-offline"} 1\n');
    expect(output).to.include('connectorctl_check_rule_success{rule="max-never"} 0\n');
  });

  it('has a series for each of two connectors of one name, and none for what is not judged', () => {
    const twins = ['A', 'B'].map((id) =>
      finding('fail', {id: 'offline', rule: 'max-offline', subject: 'edge', details: {id}}),
    );
    const metrics = text(renderPrometheus(reportOf([...twins, finding('info', {id: 'revoked'})])));
    for (const id of ['A', 'B'])
      expect(metrics).to.include(`{check="offline",subject="edge",id="${id}"} 1\n`);
    expect(metrics).not.to.include('revoked');
  });

  it('has at most 1,000 series of single findings, and counts them all', () => {
    const many = Array.from({length: 1500}, (_, index) =>
      finding('fail', {id: 'offline', rule: 'max-offline', subject: `edge-${index}`}),
    );
    const metrics = text(renderPrometheus(reportOf(many)));
    expect(metrics.match(/^connectorctl_check_finding\{/gm)).to.have.length(1000);
    expect(metrics).to.include('connectorctl_check_findings{check="offline"} 1500\n');
  });
});

describe('a report for people', () => {
  it('has one line per check, and groups the connectors below it', () => {
    const offline = Array.from({length: 27}, (_, index) =>
      finding('fail', {id: 'offline', rule: 'max-offline', message: `edge-${index}`}),
    );
    const output = text(
      renderTextReport(reportOf([finding('fail', {message: '27 offline'}), ...offline]), noColors),
    );
    expect(output).to.equal(
      'FAIL  27 offline\n  offline  27   edge-0, edge-1, edge-2, edge-3, edge-4, … 22 more (-o json shows all)\n',
    );
  });

  it('escapes control characters of others', () => {
    const output = text(renderTextReport(everyStatus, noColors));
    expect(output).not.to.match(/[^\n\x20-\u{10ffff}]/u);
  });
});
