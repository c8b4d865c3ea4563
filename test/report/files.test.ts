import {execFileSync} from 'node:child_process';
import {
  closeSync,
  constants,
  lchownSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  symlinkSync,
} from 'node:fs';
import {expect} from 'chai';
import {AppError} from '../../src/errors.js';
import {readReportFile, reportFormats, writeReports} from '../../src/report/files.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {reportOf} from '../support/values/report.js';

describe('the files of --report', () => {
  const at = temporaryDirectory();
  const json = (path: string) => ({format: 'json', path}) as const;

  it('leave a named pipe in its place and write into it', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const reader = openSync(at('pipe'), constants.O_RDWR | constants.O_NONBLOCK);
    try {
      await writeReports([json(at('pipe'))], reportOf([]));
      const bytes = Buffer.alloc(1000);
      const length = readSync(reader, bytes);
      expect(JSON.parse(bytes.toString('utf8', 0, length))).to.include({verdict: 'empty'});
    } finally {
      closeSync(reader);
    }
    expect(lstatSync(at('pipe')).isFIFO()).to.equal(true);
  });

  it('are not written through a link of another user, whatever it leads to', async function () {
    if (process.geteuid?.() !== 0) this.skip();
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync(at('pipe'), at('link'));
    lchownSync(at('link'), 12_345, 12_345);
    const error = await writeReports([json(at('link'))], reportOf([])).catch((thrown) => thrown);
    expect(error.message).to.include('it belongs to another user (uid 12345)');
  });

  it('are written although another one cannot be, which is the error', async () => {
    const files = [json(at('none', 'one')), json(at('two'))];
    const error = await writeReports(files, reportOf([])).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AppError).with.property('kind', 'usage');
    expect((error as AppError).message).to.include(`Cannot write the report ${at('none', 'one')}`);
    expect(readFileSync(at('two'), 'utf8')).to.include('"verdict"');
  });

  it('are refused for -, which other commands read as stdout', () => {
    expect(() => readReportFile('json=-', reportFormats)).to.throw(
      AppError,
      '--report needs the path of a file, not -.',
    );
    expect(readReportFile('json=./-', reportFormats)).to.deep.equal(json('./-'));
  });
});
