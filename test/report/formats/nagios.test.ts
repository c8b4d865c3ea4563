import {expect} from 'chai';
import {AppError} from '../../../src/errors.js';
import {nagiosReport, nagiosStates, stateOfError} from '../../../src/report/formats/nagios.js';
import type {Report} from '../../../src/report/report.js';
import {everyStatus, finding, hostile, reportOf} from '../../support/values/report.js';

const render = (report: Report) => nagiosReport(report);

/** Performance data by the grammar of the Monitoring Plugins guidelines; undefined for none. */
function parse(output: string) {
  const [first = '', ...long] = output.trimEnd().split('\n');
  const parts = first.split('|');
  expect(parts.length, 'one separator at most').to.be.at.most(2);
  const data = [...(parts[1] ?? '').trim().matchAll(/'([^'=]+)'=(\S+)/g)].map(([, label, text]) => {
    const range = '(~?:?-?[\\d.]+(?::[\\d.]*)?|~:[\\d.]+|)';
    const format = new RegExp(`^(-?[\\d.]+)(%|s|)(?:;${range};${range};([\\d.]*);([\\d.]*))?$`);
    const [, value, unit, warning, critical] = format.exec(text ?? '') ?? [];
    expect(value, text).not.to.equal(undefined);
    return {label, value: Number(value), unit, warning, critical};
  });
  return {first: parts[0]?.trim() ?? '', data, long};
}

describe('the output of a monitoring plugin', () => {
  it('begins with the state and the summary, and has performance data with ranges', () => {
    const {first, data} = parse(render(everyStatus));
    expect(first).to.equal('CONNECTORS UNKNOWN - a pass');
    expect(data).to.deep.equal([
      {label: 'max-offline', value: 99.5, unit: '%', warning: '99:', critical: '95:'},
      {label: 'max-never', value: 3, unit: '', warning: '', critical: '0'},
    ]);
  });

  it('lists the findings that do not pass below the first line, those that fail before any number of warnings', () => {
    const warnings = Array.from({length: 500}, (_, index) =>
      finding('warn', {message: `web-${index} warns`}),
    );
    const {long} = parse(render(reportOf([...warnings, finding('fail', {message: 'db-1 fails'})])));
    expect(long[0]).to.match(/^fail \S+: db-1 fails$/);
    expect(long[1]).to.match(/^warn \S+: web-0 warns$/);
  });

  it('replaces separators and control characters in texts of others', () => {
    const output = render(reportOf([finding('fail', {subject: hostile, message: hostile})]));
    expect(output).not.to.match(/[^\n\x20-\u{10ffff}]/u);
    expect(parse(output).data).to.deep.equal([]);
  });

  it('is at most 4,000 bytes long, and ends with the number of findings that have no room', () => {
    const many = Array.from({length: 5000}, (_, index) =>
      finding('fail', {id: 'offline', rule: 'max-offline', message: `édge-${index}`}),
    );
    const output = render(reportOf(many));
    expect(Buffer.byteLength(output)).to.be.at.most(4000).and.above(3800);
    expect(output).to.match(/fail offline: édge-\d+\n… [\d,]+ more \(-o json shows all\)\n$/);
  });

  it('is critical when nothing was measured', () => {
    expect(nagiosStates.empty).to.equal('critical');
  });

  it('is critical for a service that is down, and unknown for everything else', () => {
    expect(stateOfError(new AppError('unavailable', ''))).to.equal('critical');
    expect(stateOfError(new AppError('remote', ''))).to.equal('critical');
    for (const kind of ['usage', 'auth', 'internal', 'protocol', 'cancelled'] as const) {
      expect(stateOfError(new AppError(kind, '')), kind).to.equal('unknown');
    }
  });
});
