import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {watchedFiles} from '../../support/json-file/watched-files.js';
import {createGate} from '../../support/server/gate.js';
import {
  activate,
  day,
  listAll,
  minute,
  sampleAttempt,
  sampleToken,
  start,
} from '../../support/store/samples.js';

describe('the tokens of a JSON file store', () => {
  const directory = useStoreDirectory();
  let store: JsonFileStore;

  const redeem = async (token: {hash: string}, at = directory.now) =>
    (await store.redeemToken(sampleAttempt(token, {at, idempotencyHash: hashSecret('key')})))
      .outcome;

  const compactAt = async (now: number): Promise<void> => {
    directory.now = now;
    await store.compact();
  };

  const snapshot = async (): Promise<string> => {
    const contents = Object.entries(await directory.contents());
    return contents.find(([name]) => name.startsWith('snapshot'))?.[1] ?? '';
  };

  beforeEach(async () => {
    store = await directory.open();
  });

  it('shrink to their outcome at the first compaction after expiry, which a clock set back does not undo', async () => {
    const used = sampleToken({description: 'rack 4'});
    const unused = sampleToken({description: 'rack 5'});
    await store.createToken(used);
    await store.createToken(unused);
    expect(await redeem(used)).to.equal('redeemed');
    await store.compact();
    expect(await snapshot())
      .to.include('rack 4')
      .and.to.include('rack 5');
    await compactAt(start + 16 * minute);
    expect(await snapshot()).not.to.match(/rack/);
    for (let round = 0; round < 2; round += 1) {
      for (const at of [start, start + day]) {
        expect(await redeem(used, at)).to.equal('used');
        expect(await redeem(unused, at)).to.equal('expired');
      }
      store = await directory.reopen(store);
    }
    expect(await listAll(store, 'acme')).to.have.length(1);
  });

  it('are removed within a day, 30 days after expiry, while connectors stay', async () => {
    const unused = sampleToken();
    await store.createToken(unused);
    const connector = await activate(store);
    await compactAt(unused.expiresAt + 30 * day);
    expect(await redeem(unused)).to.equal('expired');
    await compactAt(unused.expiresAt + 31 * day);
    expect(await redeem(unused)).to.equal('unknown');
    expect(await snapshot()).not.to.include(unused.hash);
    store = await directory.reopen(store);
    expect(await redeem(unused)).to.equal('unknown');
    expect(await listAll(store, 'acme')).to.deep.equal([connector]);
  });

  it('count as used, not expired, when a compaction closes them during the write of their redemption', async () => {
    const token = sampleToken();
    let redeeming: Promise<unknown> | undefined;
    const journal = createGate();
    const files = watchedFiles(async ({name, file}) => {
      if (name === 'open' && file.startsWith('snapshot')) redeeming = redeem(token, start);
      if (name === 'rename' && file.startsWith('snapshot')) journal.release();
      if (name === 'handle.datasync' && redeeming !== undefined) await journal.wait();
    });
    store = await directory.reopen(store, {files});
    await store.createToken(token);
    await compactAt(token.expiresAt);
    expect(await snapshot()).to.include('"outcome":"expired"');
    expect(await redeeming).to.equal('redeemed');
    expect(await redeem(token, start)).to.equal('used');
    store = await directory.reopen(store);
    expect(await redeem(token, start)).to.equal('used');
  });
});
