import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import {useChildren} from '../../support/json-file/child-process.js';
import {copyDirectory, StoreDirectory, useStoreDirectory} from '../../support/json-file/fixture.js';
import {verify} from '../../support/json-file/verify.js';
import {skippingClock} from '../../support/skipping-clock.js';
import {sampleAttempt, sampleReissue, sampleToken, start} from '../../support/store/samples.js';

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

  it('from before a removal brings connectors back, with their keys and tokens, until they are removed again', async () => {
    const acme = {organization: 'acme'};
    const store = await directory.open();
    const token = sampleToken();
    await store.createToken(token);
    const attempt = sampleAttempt(token, {idempotencyHash: hashSecret('once')});
    await store.redeemToken(attempt);
    const {id, keyHash} = attempt.connector;
    const reissue = sampleReissue(id);
    await store.reissueToken(reissue);
    const copy = await StoreDirectory.make();
    expect(await copyDirectory(directory.path, copy.path)).to.equal(true);
    await store.removeConnectors([id], null);
    await store.close();
    const restored = await copy.open({clock: skippingClock().clock});
    expect(await restored.recordHeartbeat(id, start, {keyHash})).to.include({id});
    expect((await restored.redeemToken(attempt)).outcome).to.equal('repeated');
    expect((await restored.redeemToken(sampleAttempt(reissue))).outcome).to.equal('reissued');
    await restored.removeConnectors([id], null);
    expect(await restored.findConnector(id, acme)).to.equal(undefined);
    expect(await restored.redeemToken(attempt)).to.deep.equal({outcome: 'used'});
    await restored.close();
    await copy.cleanup();
  });
});
