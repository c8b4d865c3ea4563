import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import type {ActivationResult} from '../../../src/connector/enroll/activations.js';
import type {MachineList} from '../../../src/connector/enroll/machine-list.js';
import {createResultOutput} from '../../../src/connector/enroll/output.js';
import {fleetReport} from '../../../src/connector/enroll/report.js';
import {AppError} from '../../../src/errors.js';

const list = {furtherColumns: []} as unknown as MachineList;
const machine = {line: 2, name: 'web-1', file: 'web-1.json', further: []};
const activated: ActivationResult = {machine, result: 'activated', id: 'con_1'};
const failed: ActivationResult = {
  machine: {...machine, line: 3, name: 'web-2', file: 'web-2.json'},
  result: 'failed',
  error: new AppError('conflict', 'The activation token was used before.'),
};
const about = {service: 'http://127.0.0.1:4480', directory: '/etc/fleet', startedAt: new Date()};
const reportOf = (...results: readonly ActivationResult[]) =>
  fleetReport({results, stoppedBy: undefined}, about);

describe('the results of connector enroll on stdout', () => {
  let listeners: ReturnType<typeof process.stdout.listeners>;

  beforeEach(() => {
    listeners = process.stdout.listeners('error');
  });

  afterEach(() => {
    process.stdout.removeAllListeners('error');
    for (const listener of listeners) process.stdout.on('error', listener as () => void);
  });

  it('are all written when the run ends, one after the other, also to a slow reader', async () => {
    const written: string[] = [];
    let isWriting = false;
    const output = createResultOutput(list, {
      format: 'ndjson',
      width: undefined,
      write: async (text) => {
        expect(isWriting).to.equal(false);
        isWriting = true;
        await setImmediate();
        isWriting = false;
        written.push(text);
      },
    });
    output.onResult(activated);
    output.onResult(failed);
    await output.finish([activated, failed], reportOf(activated, failed));
    expect(written.map((line) => JSON.parse(line).name)).to.deep.equal(['web-1', 'web-2']);
  });
});

describe('the report of connector enroll', () => {
  it('has the line, the file and the id of each machine, and the kind of its error', () => {
    const {findings} = reportOf(activated, failed);
    expect(findings.map(({details}) => details)).to.deep.equal([
      {line: 2, file: 'web-1.json', id: 'con_1'},
      {line: 3, file: 'web-2.json', id: null, error: 'conflict'},
    ]);
  });
});
