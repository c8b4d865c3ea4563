import fs from 'node:fs/promises';
import {expect} from 'chai';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {copyDirectory, useStoreDirectory} from '../../support/json-file/fixture.js';
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
import {skippingClock} from '../../support/time/skipping-clock.js';

const scope = {organization: 'acme'};

describe('a JSON file store whose directory is moved, removed or replaced while it is in use', () => {
  const directory = useStoreDirectory();
  let store: JsonFileStore;

  beforeEach(async () => {
    store = await directory.open();
  });

  const expectLost = async (promise: Promise<unknown>): Promise<void> => {
    const {message} = expectKind(await rejection(promise), 'unavailable');
    expect(message).to.include(`${directory.path} was moved, removed or replaced`);
  };

  /** Sends heartbeats until one is refused. */
  const sendUntilRefused = async (id: string): Promise<void> => {
    for (let count = 0; ; count += 1) {
      const heartbeat = store.recordHeartbeat(id, start + count * minute, scope);
      if (await heartbeat.catch(() => undefined)) continue;
      return expectLost(heartbeat);
    }
  };

  it('refuses writes and still serves reads when the directory is gone', async () => {
    const {id} = await activate(store);
    await fs.rm(directory.path, {recursive: true});
    await sendUntilRefused(id);
    await expectLost(store.createToken(sampleToken()));
    await expectLost(store.check());
    expect(await listAll(store, 'acme')).to.have.length(1);
    await expectLost(store.close());
  });

  it('is not ready from then on, even without a write', async () => {
    await store.check();
    await fs.rename(directory.path, `${directory.path}-away`);
    await expectLost(store.check());
  });

  it('does not touch the store that took its place, nor its lock', async () => {
    const connector = await activate(store);
    await fs.rename(directory.path, `${directory.path}-away`);
    const other = await directory.open();
    await activate(other);
    const contents = await directory.contents();
    await expectLost(store.compact());
    await expectLost(store.close());
    expect(await directory.contents()).to.deep.equal(contents);
    expectKind(await rejection(directory.open()), 'locked');
    await other.close();
    await fs.rm(directory.path, {recursive: true});
    await fs.rename(`${directory.path}-away`, directory.path);
    // The process of this test goes on, unlike that of a service that lost its store.
    await directory.removeLocks();
    store = await directory.open();
    expect(await listAll(store, 'acme')).to.deep.equal([connector]);
  });

  it('does not touch a backup that took its place', async () => {
    const connector = await activate(store);
    const backup = `${directory.path}-backup`;
    expect(await copyDirectory(directory.path, backup)).to.equal(true);
    // The file system may reuse the inode numbers of the removed files.
    await fs.rm(directory.path, {recursive: true});
    await copyDirectory(backup, directory.path);
    const contents = await directory.contents();
    await expectLost(store.compact());
    await expectLost(store.createToken(sampleToken()));
    await expectLost(store.close());
    expect(await directory.contents()).to.deep.equal(contents);
    store = await directory.open({clock: skippingClock().clock});
    expect(await listAll(store, 'acme')).to.deep.equal([connector]);
  });

  it('stays usable after its lock file could not be read for a while', async () => {
    await store.close();
    let failing = false;
    const files = watchedFiles(({name, file}) => {
      if (failing && name === 'stat' && file === 'store.lock') throw systemError('EIO');
    });
    store = await directory.open({files});
    const {id} = await activate(store);
    failing = true;
    expectKind(await rejection(store.recordHeartbeat(id, start + minute, scope)), 'unavailable');
    expectKind(await rejection(store.check()), 'unavailable');
    failing = false;
    await store.check();
    await store.recordHeartbeat(id, start + 2 * minute, scope);
  });
});
