import {expect} from 'chai';
import {useChildren} from '../../support/json-file/child-process.js';
import {copyDirectory, StoreDirectory, useStoreDirectory} from '../../support/json-file/fixture.js';
import {verify} from '../../support/json-file/verify.js';
import {skippingClock} from '../../support/skipping-clock.js';

describe('a copy of a JSON file store that is in use', () => {
  const children = useChildren();
  const directory = useStoreDirectory();

  it('holds everything acknowledged before the copy started, or is refused', async () => {
    const child = children.start({directory: directory.path, prefix: 'busy'});
    await child.waitForReports(2000);
    let whole = 0;
    for (let count = 0; whole < 5; count += 1) {
      const reports = [...child.reports];
      const copy = await StoreDirectory.make();
      // `cp` fails when a compaction removes a file that it is about to copy.
      if (await copyDirectory(directory.path, copy.path)) {
        whole += 1;
        await verify(await copy.open({clock: skippingClock().clock}), reports);
      }
      await copy.cleanup();
      expect(count, 'failed copies').to.be.below(1000);
    }
    await child.kill();
  });
});
