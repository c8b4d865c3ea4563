import {execFileSync} from 'node:child_process';
import {closeSync, constants, lstatSync, openSync, readSync} from 'node:fs';
import {expect} from 'chai';
import {checkReports, writeReport} from '../../../src/cli/report/files.js';
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
});
