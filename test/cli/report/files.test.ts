import {execFileSync} from 'node:child_process';
import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {expect} from 'chai';
import {checkReports, readReportFile, writeReport} from '../../../src/cli/report/files.js';
import {AppError} from '../../../src/errors.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the files of --report', () => {
  const at = temporaryDirectory();

  it('leave a named pipe in its place and write into it', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const reader = openSync(at('pipe'), constants.O_RDWR | constants.O_NONBLOCK);
    try {
      await checkReports([{format: 'json', path: at('pipe')}]);
      await writeReport(at('pipe'), '{}\n');
      const bytes = Buffer.alloc(100);
      expect(bytes.toString('utf8', 0, readSync(reader, bytes))).to.equal('{}\n');
    } finally {
      closeSync(reader);
    }
    expect(lstatSync(at('pipe')).isFIFO()).to.equal(true);
  });

  it('are refused at the same path, but may all go to one device', async () => {
    const toDevice = ['json=/dev/null', 'junit=/dev/null'].map((text) => readReportFile(text));
    await checkReports(toDevice);
    const files = [`json=${at('report')}`, `junit=${at('.', 'report')}`].map((text) =>
      readReportFile(text),
    );
    const error = await checkReports(files).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AppError).with.property('kind', 'usage');
    expect((error as AppError).message).to.equal(
      `Cannot write the report ${at('report')}: another report has the same path.`,
    );
  });

  it('are refused in the place of a file that the command reads, by whatever links', async () => {
    writeFileSync(at('list.csv'), 'name\n');
    symlinkSync(at('list.csv'), at('symbolic'));
    linkSync(at('list.csv'), at('hard'));
    const named = ['no such file', at('list.csv')];
    for (const name of ['list.csv', 'symbolic', 'hard']) {
      const error = await checkReports([{format: 'json', path: at(name)}], {named}).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(AppError).with.property('kind', 'usage');
      expect((error as AppError).message).to.equal(
        `The report ${at(name)} would replace ${at('list.csv')}, which this command uses.`,
      );
    }
    await checkReports([{format: 'json', path: at('other')}], {named});
  });

  it('are refused for -, which other commands read as stdout', () => {
    expect(() => readReportFile('json=-')).to.throw(
      AppError,
      '--report needs the path of a file, not -.',
    );
    expect(readReportFile('json=./-')).to.deep.equal({format: 'json', path: './-'});
  });
});
