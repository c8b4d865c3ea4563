import {expect} from 'chai';
import {
  activationsTable,
  concludedRun,
  type MachineResult,
} from '../../../src/connector/enroll/results.js';
import {AppError} from '../../../src/errors.js';

const resultOf = (name: string, rest: Omit<MachineResult, 'machine'>): MachineResult => ({
  machine: {line: 2, name, file: `${name}.json`},
  ...rest,
});
const results = [
  resultOf('web-1', {result: 'activated', id: 'con_1'}),
  resultOf('db-1', {result: 'failed', error: new AppError('conflict', 'the name is taken')}),
];

describe('the results of connector enroll', () => {
  it('show name, result, id, file and error of each machine in a table', async () => {
    expect(await activationsTable({results, stoppedBy: undefined}, undefined)).to.equal(
      'NAME   RESULT     ID     FILE        ERROR\n' +
        'web-1  activated  con_1  web-1.json  -\n' +
        'db-1   failed     -      db-1.json   the name is taken\n',
    );
  });

  it('have no column for errors without an error', async () => {
    expect(
      await activationsTable({results: results.slice(0, 1), stoppedBy: undefined}, undefined),
    ).to.equal('NAME   RESULT     ID     FILE\nweb-1  activated  con_1  web-1.json\n');
  });

  it('have the line, the file and the id of each machine in the report, and the kind of its error', () => {
    const left = (['planned', 'already', 'uncertain', 'skipped'] as const).map((result) =>
      resultOf('a', {result}),
    );
    const run = concludedRun(
      {results: [...results, ...left], stoppedBy: undefined},
      {
        ...{service: 'http://127.0.0.1:4480', directory: 'out', startedAt: new Date()},
        ...{isPreview: false, isInterrupted: false},
      },
    );
    const {findings} = run.report;
    expect(findings.slice(0, 2).map(({details}) => details)).to.deep.equal([
      {line: 2, file: 'web-1.json', id: 'con_1'},
      {line: 2, file: 'db-1.json', id: null, error: 'conflict'},
    ]);
    expect(findings.map(({id, status, message}) => `${id} ${status}: ${message}`)).to.deep.equal([
      'activated pass: web-1 is activated',
      'failed fail: the name is taken',
      'planned pass: a is to be activated',
      'already pass: a is activated already',
      'uncertain fail: a is perhaps activated',
      'skipped skip: a is left alone',
    ]);
    expect(run.notes).to.deep.equal([
      '6 machines: 1 activated, 1 already, 1 planned, 1 failed, 1 uncertain, 1 skipped.',
      'Fix the reported errors, then run the same command again.',
    ]);
  });
});
