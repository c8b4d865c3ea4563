import fs from 'node:fs/promises';
import {expect} from 'chai';
import type {JsonFileStore} from '../../../../src/store/json-file/store.js';
import {useChildren} from '../../../support/json-file/child-process.js';
import {
  copyDirectory,
  StoreDirectory,
  useStoreDirectory,
} from '../../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../../support/json-file/watched-files.js';
import {activate, expectKind, listAll, rejection} from '../../../support/store/samples.js';

describe('the lock of a JSON file store', () => {
  const children = useChildren();
  const directory = useStoreDirectory();

  /** Replaces the lock that the last process left by one of another owner. */
  const leaveLock = async (owner: object | string): Promise<void> => {
    for (const name of await fs.readdir(directory.path)) {
      if (name.startsWith('lock-')) await fs.unlink(directory.file(name));
    }
    const text = typeof owner === 'string' ? owner : JSON.stringify(owner);
    await fs.writeFile(directory.file('lock-000041'), text);
  };

  it('refuses a second opening in the same process', async () => {
    const store = await directory.open();
    const error = expectKind(await rejection(directory.open()), 'locked');
    expect(error.message).to.include(`in use by process ${process.pid}`);
    await store.close();
    await (await directory.open()).close();
  });

  it('refuses a second process and names the pid of the first', async () => {
    const child = children.start({directory: directory.path, prefix: 'first'});
    await child.waitForReports(1);
    const [opened] = child.reports;
    expect(opened?.did).to.equal('open');
    const error = expectKind(await rejection(directory.open()), 'locked');
    expect(error.message).to.include(directory.path);
    expect(error.message).to.include(`process ${opened?.did === 'open' && opened.pid};`);
    await child.kill();
  });

  it('can be taken over from a process that was killed', async () => {
    const child = children.start({directory: directory.path, prefix: 'first'});
    await child.waitForReports(1);
    await child.kill();
    await (await directory.open()).close();
    const locks = (await fs.readdir(directory.path)).filter((name) => name.startsWith('lock-'));
    expect(locks).to.deep.equal(['lock-000002-released']);
  });

  it('holds while its process is stopped, also when its pid does not exist here', async () => {
    const child = children.start({directory: directory.path, prefix: 'first'});
    await child.waitForReports(1);
    child.signal('SIGSTOP');
    expectKind(await rejection(directory.open()), 'locked');
    // As in a container, which has its own pids.
    const lock = directory.file('lock-000001');
    const owner = JSON.parse(await fs.readFile(lock, 'utf8'));
    expect(owner.socket).to.be.a('string');
    await fs.writeFile(lock, JSON.stringify({...owner, pid: 2 ** 22 + 1}));
    expectKind(await rejection(directory.open()), 'locked');
    await child.kill();
    await (await directory.open()).close();
  });

  it('does not apply to a copy of the directory', async () => {
    const store = await directory.open();
    const connector = await activate(store);
    const copy = await StoreDirectory.make();
    await copyDirectory(directory.path, copy.path);
    const copied = await copy.open();
    expect(await listAll(copied, 'acme')).to.deep.equal([connector]);
    await copied.close();
    await copy.cleanup();
    await store.close();
  });

  it('holds where the path of the directory is too long for a socket', async () => {
    const deep = await StoreDirectory.make('long-name-'.repeat(15));
    const store = await deep.open();
    const [lock = ''] = (await fs.readdir(deep.path)).filter((name) => /^lock-\d+$/.test(name));
    expect(JSON.parse(await fs.readFile(deep.file(lock), 'utf8')).socket).to.be.a('string');
    expectKind(await rejection(deep.open()), 'locked');
    await store.close();
    await (await deep.open()).close();
    await deep.cleanup();
  });

  describe('where the file system has no sockets', () => {
    const files = watchedFiles(({name, file}) => {
      if (name === 'chmod' && file.endsWith('.sock')) throw systemError('ENOTSUP');
    });

    it('holds while its process runs', async () => {
      const store = await directory.open({files});
      const owner = JSON.parse(await fs.readFile(directory.file('lock-000001'), 'utf8'));
      expect(owner.socket).to.equal(null);
      expectKind(await rejection(directory.open({files})), 'locked');
      await store.close();
      await (await directory.open({files})).close();
    });

    it('can be taken over from a process that has ended, even if its pid was reused', async () => {
      await (await directory.open({files})).close();
      const boot = (await fs.readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      const ended = [
        {pid: process.pid, started: '1', boot},
        {pid: process.ppid, started: '1', boot},
        {pid: process.pid, started: null, boot: '00000000-0000-0000-0000-000000000000'},
        {pid: 2 ** 22 + 1, started: null, boot},
      ];
      for (const owner of ended) {
        await leaveLock({...owner, socket: null});
        await (await directory.open({files})).close();
      }
      await leaveLock({pid: process.pid, started: null, boot, socket: null});
      expectKind(await rejection(directory.open({files})), 'locked');
    });
  });

  it('is refused, not replaced, when its file has unknown content', async () => {
    await (await directory.open()).close();
    await leaveLock('mine');
    const error = expectKind(await rejection(directory.open()), 'locked');
    expect(error.message).to.include(directory.file('lock-000041'));
  });

  const rivals = {
    'a process that starts': async () => directory.open(),
    'a process that starts after another has started and ended': async () => {
      await (await directory.open()).close();
      return directory.open();
    },
  };
  for (const [name, start] of Object.entries(rivals)) {
    it(`goes to one of two at any interleaving with ${name}`, async () => {
      for (let step = 1, met = true; met; step += 1) {
        const stores: JsonFileStore[] = [];
        const refusals: unknown[] = [];
        const run = async (open: () => Promise<JsonFileStore>): Promise<void> => {
          await open().then(
            (store) => stores.push(store),
            (error: unknown) => refusals.push(error),
          );
        };
        let count = 0;
        // The rival runs to completion before this step of the first.
        const files = watchedFiles(async () => {
          count += 1;
          if (count === step) await run(start);
        });
        await run(() => directory.open({files}));
        met = count >= step;
        expect(stores, `before step ${step}`).to.have.length(1);
        expect(refusals).to.have.length(met ? 1 : 0);
        for (const error of refusals) expectKind(error, 'locked');
        await stores[0]?.close();
        await directory.cleanup();
        await directory.renew();
      }
    });
  }

  it('is released when the store cannot be opened', async () => {
    const store = await directory.open();
    await activate(store);
    await store.close();
    const files = watchedFiles(({name, file}) => {
      if (name === 'open' && file.startsWith('journal')) throw systemError('EACCES');
    });
    expectKind(await rejection(directory.open({files})), 'forbidden');
    await (await directory.open()).close();
  });

  it('is released on a full disk', async () => {
    let full = false;
    const files = watchedFiles(({name, args}) => {
      const creates = name === 'open' && args[1] !== 'r';
      if (full && (creates || name.startsWith('handle.write'))) throw systemError('ENOSPC');
    });
    const store = await directory.open({files});
    await activate(store);
    full = true;
    await store.close();
    await (await directory.open()).close();
  });
});
