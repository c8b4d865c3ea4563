import {existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import {openSandbox} from '../../../src/server/sandbox/open.js';
import {removeAbandoned} from '../../../src/server/sandbox/store.js';
import {keepingLog} from '../../support/server/logs.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the directories of sandboxes', () => {
  const at = temporaryDirectory();
  const never = new AbortController().signal;
  const longAgo = new Date(Date.now() - 3_600_000);
  const abandon = (path: string) => {
    mkdirSync(join(path, 'store-1'), {recursive: true});
    writeFileSync(join(path, 'first-api-key'), 'ck_x');
    utimesSync(path, longAgo, longAgo);
  };

  it('of a process that has ended are removed, with the keys in them', async () => {
    const path = at('connectorctl-sandbox-abc123');
    abandon(path);
    await removeAbandoned(at(), never);
    expect(existsSync(path)).to.equal(false);
  });

  it('of a running sandbox are not removed', async () => {
    const {log} = keepingLog();
    const sandbox = await openSandbox({seed: 1});
    try {
      const store = await sandbox.openStore('', {log, now: Date.now});
      utimesSync(sandbox.directory, longAgo, longAgo);
      await removeAbandoned(tmpdir(), never);
      expect(existsSync(sandbox.directory)).to.equal(true);
      await store.close();
    } finally {
      await sandbox.close();
    }
  });

  it('that were made in the last minute are not removed, since their process may be about to lock them', async () => {
    const path = at('connectorctl-sandbox-new');
    mkdirSync(path);
    await removeAbandoned(at(), never);
    expect(existsSync(path)).to.equal(true);
  });

  it('are not removed through a link, or under another name', async () => {
    abandon(at('mine'));
    symlinkSync(at('mine'), at('connectorctl-sandbox-link'));
    await removeAbandoned(at(), never);
    expect(existsSync(at('mine', 'first-api-key'))).to.equal(true);
  });

  if (process.getuid?.() === 0) {
    it('of another user are not removed', async () => {
      const {chownSync} = await import('node:fs');
      const path = at('connectorctl-sandbox-other');
      abandon(path);
      chownSync(path, 65_534, 65_534);
      await removeAbandoned(at(), never);
      expect(existsSync(path)).to.equal(true);
    });
  }
});
