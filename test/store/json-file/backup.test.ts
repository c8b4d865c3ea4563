import {expect} from 'chai';
import {Children} from '../../support/json-file/child-process.js';
import {copyDirectory, StoreDirectory} from '../../support/json-file/fixture.js';
import {verify} from '../../support/json-file/verify.js';

describe('a copy of a JSON file store that is in use', () => {
  let children: Children;
  let directory: StoreDirectory;

  before(async () => {
    children = await Children.prepare();
    directory = await StoreDirectory.make();
  });

  after(async () => {
    await children.remove();
    await directory.cleanup();
  });

  it('holds all that was acknowledged when it was begun, or is refused', async () => {
    const child = children.start({directory: directory.path, prefix: 'busy'});
    await child.tells(2000);
    let whole = 0;
    for (let count = 0; whole < 5; count += 1) {
      const told = [...child.told];
      const copy = await StoreDirectory.make();
      const copied = await copyDirectory(directory.path, copy.path);
      // A compaction may remove a file under the copier's hand, and the copier says so.
      if (copied) {
        whole += 1;
        const store = await copy.open();
        await verify(store, told);
        await store.close();
      }
      await copy.cleanup();
      expect(count, 'copies that were not whole').to.be.below(100);
    }
    await child.kill();
  });
});
