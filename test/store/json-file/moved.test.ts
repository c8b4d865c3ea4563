import fs from 'node:fs/promises';
import {expect} from 'chai';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {copyDirectory, StoreDirectory} from '../../support/json-file/fixture.js';
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

describe('a JSON file store whose directory is moved, removed or replaced while it is in use', () => {
  let directory: StoreDirectory;
  let store: JsonFileStore;

  beforeEach(async () => {
    directory = await StoreDirectory.make();
    store = await directory.open();
  });

  afterEach(async () => {
    await store.close().catch(() => {});
    await directory.cleanup();
  });

  const expectLost = async (promise: Promise<unknown>): Promise<void> => {
    const {message} = expectKind(await rejection(promise), 'unavailable');
    expect(message).to.include(`${directory.path} was moved, removed or replaced`);
  };

  /** Sends heartbeats until one is refused. */
  const beatUntilRefused = async (id: string): Promise<void> => {
    for (let count = 0; ; count += 1) {
      const beat = store.recordHeartbeat(id, start + count * minute, scope);
      if (await beat.catch(() => undefined)) continue;
      return expectLost(beat);
    }
  };

  it('writes no more when the directory is gone, says so, and goes on reading', async () => {
    const {id} = await activate(store);
    await fs.rm(directory.path, {recursive: true});
    await beatUntilRefused(id);
    await expectLost(store.createToken(sampleToken()));
    await expectLost(store.check());
    expect(await listAll(store, 'acme')).to.have.length(1);
    await expectLost(store.close());
  });

  it('is not ready from then on, though nobody writes', async () => {
    await store.check();
    await fs.rename(directory.path, `${directory.path}-away`);
    await expectLost(store.check());
  });

  it('leaves the store alone that is in its place, and the lock of that', async () => {
    const connector = await activate(store);
    await fs.rename(directory.path, `${directory.path}-away`);
    const other = await directory.open();
    try {
      await activate(other);
      const contents = await directory.contents();
      await expectLost(store.compact());
      await expectLost(store.close());
      expect(await directory.contents()).to.deep.equal(contents);
      expectKind(await rejection(directory.open()), 'locked');
    } finally {
      await other.close();
    }
    await fs.rm(directory.path, {recursive: true});
    await fs.rename(`${directory.path}-away`, directory.path);
    store = await directory.open();
    expect(await listAll(store, 'acme')).to.deep.equal([connector]);
  });

  it('leaves a backup alone that was put in its place', async () => {
    const connector = await activate(store);
    const backup = `${directory.path}-backup`;
    expect(await copyDirectory(directory.path, backup)).to.equal(true);
    // Its files may get the numbers of those that are gone.
    await fs.rm(directory.path, {recursive: true});
    await copyDirectory(backup, directory.path);
    const contents = await directory.contents();
    await expectLost(store.compact());
    await expectLost(store.createToken(sampleToken()));
    await expectLost(store.close());
    expect(await directory.contents()).to.deep.equal(contents);
    store = await directory.open();
    expect(await listAll(store, 'acme')).to.deep.equal([connector]);
  });

  it('is not given up because its lock cannot be looked at for a while', async () => {
    await store.close();
    let failing = false;
    const files = watchedFiles(({name, file}) => {
      if (failing && name === 'stat' && file.startsWith('lock-')) throw systemError('EIO');
    });
    store = await directory.open({files});
    const {id} = await activate(store);
    failing = true;
    await store.recordHeartbeat(id, start + minute, scope);
    expectKind(await rejection(store.check()), 'unavailable');
    failing = false;
    await store.check();
    await store.recordHeartbeat(id, start + 2 * minute, scope);
  });
});
