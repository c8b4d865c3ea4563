import {expect} from 'chai';
import {AppError} from '../../../src/errors.js';
import {nagiosReport, nagiosStates, stateOfError} from '../../../src/report/formats/nagios.js';
import type {Report} from '../../../src/report/report.js';
import {finding, reportOf} from '../../support/values/report.js';

const render = (report: Report) => nagiosReport(report);

describe('the output of a monitoring plugin', () => {
  it('lists the findings that do not pass below the first line, those that fail before any number of warnings', () => {
    const warnings = Array.from({length: 500}, (_, index) =>
      finding('warn', {message: `web-${index} warns`}),
    );
    const output = render(reportOf([...warnings, finding('fail', {message: 'db-1 fails'})]));
    expect(output.split('\n').slice(0, 3)).to.deep.equal([
      'CONNECTORS CRITICAL - web-0 warns',
      'fail max-offline: db-1 fails',
      'warn max-offline: web-0 warns',
    ]);
  });

  it('has the range of a figure with a minimum, a maximum, both or neither', () => {
    const measured = [{}, {min: 1}, {max: 2.0004}, {min: 1, max: 2}].map((critical) =>
      finding('pass', {id: "a='b", measurement: {value: 1.23456, unit: 's', critical}}),
    );
    expect(render(reportOf(measured, {summary: 'a|b'}))).to.equal(
      'CONNECTORS OK - a/b' +
        " | 'a__b'=1.235s;;;0; 'a__b'=1.235s;;1:;0; 'a__b'=1.235s;;2;0; 'a__b'=1.235s;;1:2;0;\n",
    );
  });

  it('is at most 4,000 bytes long, and ends with the number of findings that have no room', () => {
    const many = Array.from({length: 5000}, (_, index) =>
      finding('fail', {id: 'offline', rule: 'max-offline', message: `édge-${index}`}),
    );
    const output = render(reportOf(many));
    expect(Buffer.byteLength(output)).to.be.at.most(4000);
    const [, ...shown] = output.trimEnd().split('\n');
    const rest = (5000 - shown.length + 1).toLocaleString('en');
    expect(shown.at(-1)).to.equal(`… ${rest} more (-o json shows all)`);
    // A line has 19 bytes beside its x, the first line 24; the count of the rest needs 60.
    const linesFor = (...lengths: readonly number[]) => {
      const long = lengths.map((length) => finding('fail', {message: 'x'.repeat(length)}));
      return render(reportOf(long, {summary: 's'})).split('\n');
    };
    expect(linesFor(3957)[1]).to.have.length(3975);
    expect(linesFor(3958)[1]).to.equal('… 1 more (-o json shows all)');
    expect(linesFor(3897, 99)[1]).to.have.length(3915);
    expect(linesFor(3898, 99)[1]).to.equal('… 2 more (-o json shows all)');
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
