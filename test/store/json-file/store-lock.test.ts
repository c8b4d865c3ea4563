import fs from 'node:fs/promises';
import {expect} from 'chai';
import type {ConnectorRecord} from '../../../src/domain/records.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {type Files, nodeFiles} from '../../../src/system/durable-file.js';
import {startChild} from '../../support/json-file/child-process.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';
import {skippingClock} from '../../support/time/skipping-clock.js';

describe('the lock of a JSON file store', () => {
  const directory = useStoreDirectory();

  it('refuses a second process, names the pid of the first also while that is stopped, and is free once it was killed', async () => {
    const child = startChild({directory: directory.path, prefix: 'first'});
    await child.waitForReports(1);
    const [opened] = child.reports;
    child.signal('SIGSTOP');
    const error = expectKind(await rejection(directory.open()), 'locked');
    expect(error.message).to.include(directory.path);
    expect(error.message).to.include(`process ${opened?.did === 'open' && opened.pid};`);
    await child.kill();
    await (await directory.open()).close();
    expect(
      (await fs.readdir(directory.path)).filter((name) => name.includes('lock')),
    ).to.deep.equal([]);
  });

  describe('of a process on another machine that was stopped', () => {
    /** File calls of another machine. */
    const elsewhere = (files: Files): Files => {
      const readFile = async (path: string, encoding?: 'utf8') =>
        path.endsWith('boot_id') ? 'another boot' : files.readFile(path, encoding);
      return Object.assign(Object.create(files), {readFile});
    };

    const openElsewhere = () =>
      directory.open({files: elsewhere(nodeFiles), clock: skippingClock().clock});

    for (const moment of ['handle.write', 'handle.datasync']) {
      it(`goes to one that watched it; what the first was writing before ${moment} is refused and harms nothing`, async () => {
        let isStopped = false;
        let second: JsonFileStore | undefined;
        let connector: ConnectorRecord | undefined;
        const time = skippingClock();
        const files = watchedFiles(async ({name, file}) => {
          if (file === 'store.jsonl' && name === moment && !isStopped && second === undefined) {
            isStopped = true;
            time.pass(60_000);
            second = await openElsewhere();
            connector = await activate(second);
            isStopped = false;
          }
          // Its keep-alives stop too.
          if (isStopped && file.includes('.lock')) throw systemError('EIO');
        });
        const first = await directory.open({files, clock: time.clock});
        const error = expectKind(await rejection(activate(first)), 'unavailable');
        expect(error.message).to.include('another process took it over');
        expectKind(await rejection(first.check()), 'unavailable');
        if (second === undefined) throw new Error('the first never wrote');
        await second.close();
        const store = await directory.open();
        expect(await listAll(store, 'acme')).to.deep.equal([connector]);
        await store.close();
      });
    }
  });

  it('is released when the store cannot be opened', async () => {
    const store = await directory.open();
    await activate(store);
    await store.close();
    const files = watchedFiles(({name, file}) => {
      if (name === 'open' && file === 'store.jsonl') throw systemError('EACCES');
    });
    expectKind(await rejection(directory.open({files})), 'forbidden');
    await (await directory.open()).close();
  });
});
