import fs from 'node:fs/promises';
import {expect} from 'chai';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {copyFolder, StoreFolder} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {
  activate,
  expectKind,
  listAll,
  minute,
  rejection,
  sampleToken,
  start,
} from '../../support/store/samples.js';

const scope = {organization: 'acme'};

describe('a JSON file store whose folder is moved, removed or replaced while it is in use', () => {
  let folder: StoreFolder;
  let store: JsonFileStore;

  beforeEach(async () => {
    folder = await StoreFolder.make();
    store = await folder.open();
  });

  afterEach(async () => {
    await store.close().catch(() => {});
    await folder.cleanup();
  });

  const expectLost = async (promise: Promise<unknown>): Promise<void> => {
    const {message} = expectKind(await rejection(promise), 'unavailable');
    expect(message).to.include(`${folder.path} was moved, removed or replaced`);
  };

  /** Sends heartbeats until one is refused. */
  const beatUntilRefused = async (id: string): Promise<void> => {
    for (let count = 0; ; count += 1) {
      const beat = store.recordHeartbeat(id, start + count * minute, scope);
      if (await beat.catch(() => undefined)) continue;
      return expectLost(beat);
    }
  };

  it('writes no more when the folder is gone, says so, and goes on reading', async () => {
    const {id} = await activate(store);
    await fs.rm(folder.path, {recursive: true});
    await beatUntilRefused(id);
    await expectLost(store.createToken(sampleToken()));
    await expectLost(store.check());
    expect(await listAll(store, 'acme')).to.have.length(1);
    await expectLost(store.close());
  });

  it('is not ready from then on, though nobody writes', async () => {
    await store.check();
    await fs.rename(folder.path, `${folder.path}-away`);
    await expectLost(store.check());
  });

  it('leaves the store alone that is in its place, and the lock of that', async () => {
    const connector = await activate(store);
    await fs.rename(folder.path, `${folder.path}-away`);
    const other = await folder.open();
    try {
      await activate(other);
      const contents = await folder.contents();
      await expectLost(store.compact());
      await expectLost(store.close());
      expect(await folder.contents()).to.deep.equal(contents);
      expectKind(await rejection(folder.open()), 'locked');
    } finally {
      await other.close();
    }
    await fs.rm(folder.path, {recursive: true});
    await fs.rename(`${folder.path}-away`, folder.path);
    store = await folder.open();
    expect(await listAll(store, 'acme')).to.deep.equal([connector]);
  });

  it('leaves a backup alone that was put in its place', async () => {
    const connector = await activate(store);
    const backup = `${folder.path}-backup`;
    expect(await copyFolder(folder.path, backup)).to.equal(true);
    // Its files may get the numbers of those that are gone.
    await fs.rm(folder.path, {recursive: true});
    await copyFolder(backup, folder.path);
    const contents = await folder.contents();
    await expectLost(store.compact());
    await expectLost(store.createToken(sampleToken()));
    await expectLost(store.close());
    expect(await folder.contents()).to.deep.equal(contents);
    store = await folder.open();
    expect(await listAll(store, 'acme')).to.deep.equal([connector]);
  });

  it('is not given up because its lock cannot be looked at for a while', async () => {
    await store.close();
    let failing = false;
    const files = watchedFiles(({name, file}) => {
      if (failing && name === 'stat' && file.startsWith('lock-')) throw systemError('EIO');
    });
    store = await folder.open({files});
    const {id} = await activate(store);
    failing = true;
    await store.recordHeartbeat(id, start + minute, scope);
    expectKind(await rejection(store.check()), 'unavailable');
    failing = false;
    await store.check();
    await store.recordHeartbeat(id, start + 2 * minute, scope);
  });
});
