import {readdirSync} from 'node:fs';
import fs from 'node:fs/promises';
import {expect} from 'chai';
import {announceBootstrap} from '../../src/serve/bootstrap.js';
import {storeAdmin} from '../../src/server/admin/admin.js';
import {failure} from '../support/client.js';
import {systemError} from '../support/json-file/watched-files.js';
import {keepingLog} from '../support/server/logs.js';
import {MemoryStore} from '../support/store/memory-store.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('the file of the first API key', () => {
  const at = temporaryDirectory();
  const {log} = keepingLog();

  it('is removed when it cannot be written whole, so that the next start can write it', async () => {
    const open: typeof fs.open = async (...words) => {
      const file = await fs.open(...words);
      file.sync = () => Promise.reject(systemError('ENOSPC'));
      return file;
    };
    const key = {organization: 'default', description: null, expiresAt: null};
    const created = await storeAdmin(new MemoryStore(), log).create(key);
    const save = (disk: typeof fs) =>
      announceBootstrap({file: at('key')}, undefined, log, disk).saveFirstKey?.(created);
    const error = await failure(async () => save({...fs, open}));
    expect(error.message).to.include('ENOSPC');
    expect(readdirSync(at())).to.deep.equal([]);
    await save(fs);
    expect((await failure(async () => save(fs))).hint).to.include(
      'Remove the file if an interrupted',
    );
  });
});
