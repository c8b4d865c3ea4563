import {expect} from 'chai';
import {deriveHeapLimits} from '../../../src/system/heap.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';

const smallest = deriveHeapLimits({limit: 1, nodeVersion: '20.19.0', options: ''});

describe('a JSON file store', () => {
  const directory = useStoreDirectory();

  /** Makes a store whose records take more of the heap than the smallest one has for them. */
  async function overfill(): Promise<void> {
    const store = await directory.open();
    const name = 'x'.repeat(200_000);
    for (let count = 0; count < 10; count += 1) await activate(store, {name});
    await store.close();
  }

  it('that the heap has no room for is refused with the heap that it needs, and is not modified', async () => {
    await overfill();
    const before = await directory.contents();
    const error = expectKind(await rejection(directory.open({heap: smallest})), 'too-large');
    expect(error.message).to.include('about 32 MiB').and.include('limit is 16 MiB');
    expect(error.heapMebibytes).to.equal(32);
    expect(await directory.contents()).to.deep.equal(before);
    const enough = deriveHeapLimits({limit: 80 * 2 ** 20, nodeVersion: '20.19.0', options: ''});
    const store = await directory.reopen(await directory.open(), {heap: enough});
    expect(await listAll(store, 'acme')).to.have.length(10);
  });

  it('that the heap has no room for is not read to its end, and its need is estimated by what was read', async () => {
    await overfill();
    const store = await directory.open();
    const name = 'x'.repeat(1_000_000);
    for (let count = 0; count < 10; count += 1) await activate(store, {name});
    await store.close();
    const error = expectKind(await rejection(directory.open({heap: smallest})), 'too-large');
    expect(error.heapMebibytes).to.be.within(64, 96);
  });
});
