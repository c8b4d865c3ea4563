import {expect} from 'chai';
import {readDescription} from '../../../src/store/json-file/directory.js';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import {load} from '../../../src/store/json-file/read/load.js';
import {flipped} from '../../support/json-file/fixture.js';
import {SimulatedDisk} from '../../support/json-file/simulated-disk.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, expectKind, minute, rejection, start} from '../../support/store/samples.js';

describe('a damaged JSON file store', () => {
  it('is refused for one changed bit in any byte of any file', async () => {
    const disk = new SimulatedDisk('/store');
    const options = {log: new RecordedLog(), now: () => start + minute};
    const store = await openJsonFileStore(disk.directory, options, {files: disk.files});
    await activate(store);
    await store.compact();
    await activate(store);
    await store.close();
    const read = async (name: string, bytes: Buffer): Promise<void> => {
      const context = {
        files: disk.with(name, bytes).files,
        directory: disk.directory,
        upgrades: new Map(),
      };
      await readDescription(context);
      await load(context);
    };
    for (const name of ['store.json', 'snapshot-000002.jsonl', 'journal-000002.jsonl']) {
      const bytes = disk.content(name);
      await read(name, bytes);
      for (let offset = 0; offset < bytes.length; offset += 1) {
        const {message} = expectKind(
          await rejection(read(name, flipped(bytes, offset))),
          'damaged',
        );
        expect(message, `byte ${offset}`).to.match(new RegExp(`^/store/${name}, line \\d+: `));
      }
    }
  });
});
