import {expect} from 'chai';
import {
  type ActivationResult,
  activationsTable,
} from '../../../src/connector/enroll/activations.js';

const resultOf = (
  name: string,
  rest: Omit<ActivationResult, 'machine'> = {result: 'activated'},
): ActivationResult => ({
  machine: {line: 2, name, file: `${name}.json`, further: []},
  ...rest,
});

describe('the table of a fleet activation', () => {
  it('shows name, result, id, file and error of each machine', async () => {
    const failed = {kind: 'conflict', message: 'the name is taken'} as const;
    const results = [
      resultOf('web-1', {result: 'activated', id: 'con_1'}),
      resultOf('db-1', {result: 'failed', error: failed}),
    ];
    expect(await activationsTable(results, undefined)).to.equal(
      'NAME   RESULT     ID     FILE        ERROR\n' +
        'web-1  activated  con_1  web-1.json  -\n' +
        'db-1   failed     -      db-1.json   the name is taken\n',
    );
  });

  it('has no column for errors without an error', async () => {
    const text = await activationsTable(
      [resultOf('web-1', {result: 'activated', id: 'con_1'})],
      undefined,
    );
    expect(text).to.equal('NAME   RESULT     ID     FILE\nweb-1  activated  con_1  web-1.json\n');
  });

  it('fits a narrow terminal and cuts nothing', async () => {
    const message = 'an error that is much longer than one line of a terminal with forty columns';
    const results = [resultOf('web-1', {result: 'failed', error: {kind: 'conflict', message}})];
    const text = await activationsTable(results, 40);
    expect(text.replace(/\s+/g, ' ')).to.include('web-1.json').and.include('much longer than one');
  });

  it('is written for 50,000 machines in seconds, not in minutes', async function () {
    this.timeout(60_000);
    const results = Array.from({length: 50_000}, (_, at) => resultOf(`m-${at}`));
    expect((await activationsTable(results, undefined)).split('\n')).to.have.length(50_002);
  });
});
