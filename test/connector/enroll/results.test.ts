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
    const run = concludedRun(
      {results, stoppedBy: undefined},
      {
        ...{service: 'http://127.0.0.1:4480', directory: 'out', startedAt: new Date()},
        ...{isPreview: false, isInterrupted: false},
      },
    );
    expect(run.report.findings.map(({details}) => details)).to.deep.equal([
      {line: 2, file: 'web-1.json', id: 'con_1'},
      {line: 2, file: 'db-1.json', id: null, error: 'conflict'},
    ]);
  });
});
